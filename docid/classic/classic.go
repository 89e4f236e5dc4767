// Package classic is the docId service exactly as the classic article describes it. In Redis the url leads to a docId under
// URL_INDEX, and the signature of the title under TITLE_INDEX. Four blocks of the content's signature lead there under
// CONTENT_INDEX. The first match decides. A signature is the SimHash of the words of a text, weighted 1 to 5 by how often
// they occur. Nothing is verified, so two texts that share little but their signatures get one docId. The parts that the
// article leaves open are reliable: one atomic step looks up and writes (decide.lua), no number is given twice, and sinks
// receive every article in order.
//
//	INDEX:{tenant}                      its identity, the last number, how many docIds
//	URL_INDEX:{tenant}:url              number of the docId
//	TITLE_INDEX:{tenant}:signature      number of the docId
//	CONTENT_INDEX:{tenant}:n:block      signatures that have the block, each with the number of its docId
//	NID_INDEX:{tenant}:nid              what was answered
//	DOCIDS:{tenant}                     heat of the kept article, and nid of the first, by number
//	OUTBOX:{tenant}, SINKS:{tenant}     pending articles for the sinks, and their cursors
//	WORDS:{tenant}:digest               the words of a text, for as long as Options say
package classic

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/redisclient"
)

// Options are the options of a service.
type Options struct {
	// Address is redis://[USER:PASSWORD@]HOST:PORT[/DB], or rediss:// with TLS.
	Address string
	// Clean cleans the texts before they are compared.
	Clean neardup.Cleaner
	// Words is how long Redis caches the words of a text; 0 disables the cache. The article has 7 days.
	Words time.Duration
	// Backlog limits the articles that wait for the sinks; 0 means no limit.
	Backlog uint64
}

// Service holds the indexes of all tenants in one Redis. Several servers can share it.
type Service struct {
	c *redisclient.Client
	o Options
}

// Open connects to Redis, and waits until Redis has loaded its data. Errors: ErrInvalid, ErrUnavailable.
func Open(ctx context.Context, o Options) (*Service, error) {
	opt, err := redisclient.ParseURL(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docid.ErrInvalid, err)
	}
	opt.Connect, opt.Answer = time.Second, 2*time.Second
	c, err := redisclient.Connect(ctx, opt)
	if err != nil {
		return nil, failed(err)
	}
	return &Service{c: c, o: o}, nil
}

// Close closes the connections.
func (s *Service) Close() error {
	return s.c.Close()
}

// Reach returns an error if Redis does not answer.
func (s *Service) Reach(ctx context.Context) error {
	_, err := s.c.Do(ctx, "PING")
	return failed(err)
}

// Losses returns the ways in which Redis, as configured, may lose answers.
func (s *Service) Losses(ctx context.Context) ([]string, error) {
	set, err := redis.StringMap(s.c.Do(ctx, "CONFIG", "GET", "appendonly", "appendfsync", "maxmemory-policy"))
	if err != nil {
		return nil, failed(err)
	}
	var all []string
	for _, want := range [][3]string{
		{"appendonly", "yes", "a restart loses everything since the last snapshot"},
		{"appendfsync", "always", "a power failure loses the last second or more"},
		{"maxmemory-policy", "noeviction", "Redis evicts docIds when its memory is full"},
	} {
		if set[want[0]] != want[1] {
			all = append(all, fmt.Sprintf("%s of Redis is %s: %s (set %s)", want[0], set[want[0]], want[2], want[1]))
		}
	}
	return all, nil
}

// Index is the index of one tenant. It is safe for concurrent use.
type Index struct {
	s        *Service
	tenant   string
	identity docid.Identity
	*signer
	seen atomic.Uint64 // the last change that this process knows
}

// Index opens the index of a tenant, and creates it if needed. If the index was made with other settings, the error wraps
// neardup.ErrUnlike.
func (s *Service) Index(ctx context.Context, tenant string) (*Index, error) {
	x := &Index{s: s, tenant: tenant}
	fresh, err := docid.NewIdentity("", nil)
	if err != nil {
		return nil, err
	}
	x.signer, err = newSigner(s.o.Clean, fresh.Seed)
	if err != nil {
		return nil, err
	}
	fresh.Spec, fresh.Created = x.spec, time.Now().UnixNano()
	if err := x.open(ctx, fresh); err != nil {
		return nil, fmt.Errorf("open index of tenant %q: %w", tenant, err)
	}
	return x, nil
}

// open reads the stored identity, or stores the fresh one if there is none.
func (x *Index) open(ctx context.Context, fresh docid.Identity) error {
	b, err := json.Marshal(fresh)
	if err != nil {
		return err
	}
	c := x.s.c
	if half, err := redis.Bool(c.Do(ctx, "HEXISTS", x.key("INDEX"), rebuilding)); err != nil || half {
		if half {
			err = docid.ErrUnfinished
		}
		return failed(err)
	}
	if _, err := c.Do(ctx, "HSETNX", x.key("INDEX"), "identity", b); err != nil {
		return failed(err)
	}
	there, err := redis.Bytes(c.Do(ctx, "HGET", x.key("INDEX"), "identity"))
	if err != nil {
		return failed(err)
	}
	if err := json.Unmarshal(there, &x.identity); err != nil {
		return fmt.Errorf("%w: identity of the index: %w", docid.ErrCorrupt, err)
	}
	return x.sign()
}

// sign makes the signer. The error wraps neardup.ErrUnlike if the index was made with other settings.
func (x *Index) sign() (err error) {
	x.signer, err = newSigner(x.s.o.Clean, x.identity.Seed)
	if err == nil && x.spec != x.identity.Spec {
		err = fmt.Errorf("%w: the index was made with %q, the settings are %q", neardup.ErrUnlike, x.identity.Spec, x.spec)
	}
	return err
}

// key returns a key of the tenant. All keys of a tenant are in one slot of a cluster.
func (x *Index) key(prefix string, parts ...string) string {
	return strings.Join(append([]string{prefix, "{" + x.tenant + "}"}, parts...), ":")
}

//go:embed decide.lua
var decideSource string

var decide = redis.NewScript(-1, decideSource)

// article is an article in the outbox.
type article struct {
	docid.Article
	Received int64    // Unix nanoseconds
	Request  [16]byte // digest of the request
}

// Add decides on an article and stores it, in one atomic step. A repeated nid gets its first answer. Errors:
// docid.ErrInvalid, ErrTaken, ErrBehind, ErrBacklog, ErrFull, ErrUnavailable.
func (x *Index) Add(ctx context.Context, sub docid.Submission) (docid.Answer, error) {
	switch {
	case strings.HasPrefix(sub.ID, docid.AnonymousPrefix):
		return docid.Answer{}, fmt.Errorf("%w: nid starts with %q", docid.ErrInvalid, docid.AnonymousPrefix)
	case sub.Idempotency != "" || sub.Window != 0 || sub.TTL != 0:
		return docid.Answer{}, fmt.Errorf("%w: the classic system does not support idempotency keys, windows and times to live", docid.ErrInvalid)
	}
	of, err := x.signatures(ctx, x.clean(sub.Title), x.clean(sub.Text))
	if err != nil {
		return docid.Answer{}, fmt.Errorf("words of %q: %w", sub.ID, err)
	}
	a := sub.Article()
	request, err := json.Marshal(a)
	if err != nil {
		return docid.Answer{}, err
	}
	digest := sha256.Sum256(request)
	waiting, err := json.Marshal(article{a, time.Now().UnixNano(), [16]byte(digest[:])})
	if err != nil {
		return docid.Answer{}, err
	}
	said, err := redis.String(x.s.c.Eval(ctx, decide, x.keys(&a, of[0], of[1]), []string{
		number(x.seen.Load()), number(x.s.o.Backlog), sub.ID, hex.EncodeToString(digest[:16]),
		sortable(sub.Heat), number(of[1].fp >> 32), number(of[1].fp & 0xffffffff), string(waiting),
	}))
	if err != nil {
		return docid.Answer{}, fmt.Errorf("decide on %q: %w", sub.ID, failed(err))
	}
	d, err := x.delivery(said, &a)
	if err != nil {
		return docid.Answer{}, err
	}
	x.saw(d.Seq)
	return answer(d, strings.HasPrefix(said, "again ")), nil
}

// clean returns the clean text for comparison.
func (x *Index) clean(s string) string {
	if x.s.o.Clean == nil {
		return s
	}
	return x.s.o.Clean.Clean(s)
}

// keys returns the Redis keys that decide.lua uses.
func (x *Index) keys(a *docid.Article, title, content signature) []string {
	keys := []string{x.key("INDEX"), x.key("DOCIDS"), x.key("SINKS"), x.key("OUTBOX"), "", "", "", "", "", "", ""}
	if a.ID != "" {
		keys[4] = x.key("NID_INDEX", a.ID)
	}
	if u := docid.NormalizeURL(a.URL); u != "" {
		keys[5] = x.key("URL_INDEX", u)
	}
	if title.enough {
		keys[6] = x.key("TITLE_INDEX", fmt.Sprintf("%016x", title.fp))
	}
	if content.enough {
		for n := range 4 {
			keys[7+n] = x.key("CONTENT_INDEX", strconv.Itoa(n), fmt.Sprintf("%04x", content.fp>>(16*n)&0xffff))
		}
	}
	return keys
}

// delivery decodes an answer of decide.lua: effect on the kept copy, number, docId, stage, distance, first nid.
func (x *Index) delivery(said string, a *docid.Article) (docid.Delivery, error) {
	var d docid.Delivery
	var keeps, stage string
	if _, err := fmt.Sscanf(said, "%s %d %d %s %d", &keeps, &d.Seq, &d.Leader, &stage, &d.Evidence.Distance); err != nil {
		return d, fmt.Errorf("%w: answer %q: %w", docid.ErrCorrupt, said, err)
	}
	d.Epochs = len(x.identity.Epochs)
	for d.Epochs > 0 && x.identity.Epochs[d.Epochs-1].First > d.Seq {
		d.Epochs--
	}
	if stage == "epoch" {
		d.Kind = docid.KindEpoch
		return d, nil
	}
	first := strings.SplitN(said, " ", 6)[5]
	d.NID, d.Heat, d.Article = a.ID, a.Heat, a
	if d.NID == "" {
		d.NID = docid.AnonymousNID(d.Seq)
	}
	if keeps == "this" {
		d.Kept = docid.KeptReplaced
	}
	d.Kind, d.Evidence.Method = docid.KindNew, "simhash"
	if stage != "new" {
		d.Kind, d.Evidence.Stage, d.Evidence.LeaderNID = docid.KindDuplicate, docid.Stage(stage), first
		d.Evidence.Similarity, d.Evidence.Basis = 1, "equal url"
		if d.Evidence.Distance >= 0 {
			d.Evidence.Similarity, d.Evidence.Basis = 1-float64(d.Evidence.Distance)/64, x.basis
		} else {
			d.Evidence.Method = string(docid.Exact)
		}
	}
	var err error
	d.DocID, err = x.identity.DocID(x.tenant, d.Leader)
	return d, err
}

// answer converts a decision into an answer.
func answer(d docid.Delivery, replayed bool) docid.Answer {
	a := docid.Answer{DocID: d.DocID, Seq: d.Seq, Stage: d.Evidence.Stage, LeaderSeq: d.Leader, Replayed: replayed}
	a.ID, a.Decision.Decision, a.Method = d.NID, neardup.New, d.Evidence.Method
	if d.Kind == docid.KindDuplicate {
		a.Decision.Decision = neardup.Duplicate
		a.Leader, a.Similarity, a.Basis = d.Evidence.LeaderNID, d.Evidence.Similarity, d.Evidence.Basis
		if d.Evidence.Distance >= 0 {
			a.Distance = &d.Evidence.Distance
		}
	}
	return a
}

// saw records that this process knows a change.
func (x *Index) saw(seq uint64) {
	for old := x.seen.Load(); old < seq && !x.seen.CompareAndSwap(old, seq); old = x.seen.Load() {
	}
}

// Stats returns the counts, and the cursor of each sink.
func (x *Index) Stats(ctx context.Context) (docid.Stats, []docid.Attachment, error) {
	var st docid.Stats
	counts, err := redis.Strings(x.s.c.Do(ctx, "HMGET", x.key("INDEX"), "seq", "docids"))
	if err != nil {
		return st, nil, failed(err)
	}
	st.Seq, _ = strconv.ParseUint(counts[0], 10, 64) // "" before the first article
	st.Leaders, _ = strconv.Atoi(counts[1])
	st.Members = int(st.Seq) - len(x.identity.Epochs)
	sinks, err := x.attached(ctx)
	return st, sinks, err
}

// sortable encodes a heat as hex digits that sort in the same order.
func sortable(heat int64) string { return fmt.Sprintf("%016x", uint64(heat)^1<<63) }

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func failed(err error) error {
	if err == nil {
		return nil
	}
	for said, is := range map[string]error{"BEHIND": docid.ErrBehind, "TAKEN": docid.ErrTaken, "BACKLOG": docid.ErrBacklog, "OOM": docid.ErrFull} {
		if strings.HasPrefix(err.Error(), said) {
			return fmt.Errorf("%w: %w", is, err)
		}
	}
	return fmt.Errorf("%w: Redis: %w", docid.ErrUnavailable, err)
}
