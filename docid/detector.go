package docid

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup"
)

// Errors of a Detector. It also returns the errors of the store.
var (
	ErrInvalid   = errors.New("invalid")
	ErrHotBucket = errors.New("too many candidates to compare")
	ErrQuota     = errors.New("the quota of articles is exhausted")
	// ErrContended means that nothing was stored. A retry may succeed.
	ErrContended = errors.New("too many conflicting submissions")
	// ErrLeads rejects a correction of a leader, because the other articles of the docId were compared with it.
	ErrLeads = errors.New("the article is the leader of its docId (move each other article to a docId of its own instead)")
	// ErrTextUnknown rejects a correction, because only one text of a docId is stored.
	ErrTextUnknown = errors.New("the text of the article is not stored (send it in the request, because a new docId needs it)")
)

// Detector decides for one tenant which articles are new. It is safe for concurrent use. Several detectors may share one
// index, also in several processes if the store allows it. They never call two near articles new.
type Detector struct {
	cascade
	index     Index
	tenant    string
	ids       DocIDs
	askKey    []byte
	viewCache *viewCache

	ruled    ruled      // the rulings of people
	learning sync.Mutex // guards reading the epochs
	resuming sync.Mutex
}

// NewDetector opens the index of a tenant, and creates it if needed. If the index was made with other settings, the error
// wraps ErrUnlike.
func NewDetector(ctx context.Context, store Store, tenant string, s Settings) (*Detector, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store given", ErrInvalid)
	}
	index, err := store.Index(ctx, tenant, s.create)
	if err != nil {
		return nil, fmt.Errorf("open index of tenant %q: %w", tenant, err)
	}
	id := index.Identity()
	c, err := s.ofIndex(tenant, id)
	if err != nil {
		return nil, err
	}
	ids, err := newDocIDs(id, tenant)
	if err != nil {
		return nil, err
	}
	c.nameKey = derive(id, "name")
	if c.Semaphore == nil {
		c.Semaphore = NewSemaphore(0)
	}
	d := &Detector{
		cascade: c, index: index, tenant: tenant, ids: ids,
		askKey:    derive(id, "request"),
		viewCache: newViewCache(c.CacheBytes),
	}
	d.ruled.forget()
	return d, nil
}

// ofIndex makes the cascade of an index. If the index was made with other settings, the error wraps neardup.ErrUnlike.
func (s Settings) ofIndex(tenant string, id Identity) (cascade, error) {
	c, spec, err := s.build(id.Seed, id.Table)
	if err != nil || spec == id.Spec {
		return c, err
	}
	return c, fmt.Errorf("%w: the index of tenant %q was made with %q, the settings are %q", neardup.ErrUnlike, tenant, id.Spec, spec)
}

// create makes the identity of a new index, including its spec.
func (s Settings) create() (Identity, error) {
	var id Identity
	var err error
	if s.Identity != nil {
		id, err = s.Identity("")
	} else {
		id, err = NewIdentity("", nil)
	}
	if err != nil {
		return id, err
	}
	_, id.Spec, err = s.build(id.Seed, id.Table)
	if err != nil {
		return id, err
	}
	if id.Created == 0 {
		c := cascade{Settings: s}
		id.Created = c.now().UnixNano()
	}
	return id, nil
}

// Submission is an article to decide on, with options of the caller. Every field may be empty.
type Submission struct {
	ID, URL, Title, Text        string
	Time                        int64 // time of publication, in Unix nanoseconds
	Category, Media, ImageCount string
	Heat                        int64 // the hottest article of a docId is the kept copy
	Extras
	// Idempotency identifies the request: a repeated Add with the same value gets the first answer. May be empty.
	Idempotency string
	// Window and TTL, unless 0, replace those of the settings.
	Window, TTL time.Duration
}

// Article returns the article of a submission.
func (s *Submission) Article() Article {
	return Article{neardup.Document{ID: s.ID, Text: s.Text, Title: s.Title, URL: s.URL, Time: s.Time},
		s.Category, s.Media, s.ImageCount, s.Heat, s.Extras}
}

// Submission returns the submission of an article.
func (a *Article) Submission() Submission {
	return Submission{ID: a.ID, URL: a.URL, Title: a.Title, Text: a.Text, Time: a.Time,
		Category: a.Category, Media: a.Media, ImageCount: a.ImageCount, Heat: a.Heat, Extras: a.Extras}
}

// Answer is a decision of the service.
type Answer struct {
	neardup.Decision
	DocID string `json:"docId"`
	// Seq is the number of the change. For Check it is the last change that the answer depends on.
	Seq   uint64 `json:"seq"`
	Stage Stage  `json:"stage,omitempty"`
	// LeaderSeq is the number of the leader, from which the docId is made.
	LeaderSeq uint64 `json:"-"`
	Replayed  bool   `json:"replayed,omitempty"`
	// Corrected is set if a person moved the article after the decision. DocID is the current docId.
	Corrected *Corrected `json:"corrected,omitempty" doc:"A person has moved the article to another docId since this decision; docId is the current one."`
	// Disagrees is set if the url led to the docId but the contents contradict each other. The article is never
	// the kept copy.
	Disagrees bool `json:"contentsDisagree,omitempty" doc:"The article has the url of this docId, but its content contradicts the leader's, so it is never the kept article."`
	// SameImages lists the pictures that confirmed a duplicate. For an article without words, it lists docIds that share
	// its pictures.
	SameImages []ImagesInCommon `json:"sameImages,omitempty" doc:"For a duplicate, the pictures that confirmed it. For a new article without title and text, up to 10 docIds that share pictures with it, those with most first."`
	// Candidates is the number of leaders that shared a key, Compared the number of verified ones, and Rounds the number of
	// look-ups in the store. They are for metrics.
	Candidates int `json:"-"`
	Compared   int `json:"-"`
	Rounds     int `json:"-"`
}

// Add decides on an article and stores the outcome in one atomic step. When it returns without error the answer is
// durable. A repeated submission gets its first answer, even if the index is full or its bucket is hot. Errors:
// ErrInvalid, ErrMismatch, ErrTaken, ErrHotBucket, ErrQuota, ErrContended, ErrBacklog, ErrUnavailable, ErrFull.
func (d *Detector) Add(ctx context.Context, sub Submission) (Answer, error) {
	if err := d.valid(&sub); err != nil {
		return Answer{}, err
	}
	request := d.request(&sub)
	full := d.quota(ctx) // called first, because it waits until the index has every answer of other servers
	if a, err := d.replay(ctx, &sub, request); !errors.Is(err, ErrNotFound) {
		return a, err
	} else if full != nil {
		return Answer{}, full
	}
	s, err := d.prepare(ctx, &sub, request)
	if err != nil {
		return Answer{}, err
	}
	a, refused := d.decideAndCommit(ctx, s)
	if !errors.Is(refused, ErrHotBucket) && !errors.Is(refused, ErrFull) {
		return a, refused
	}
	if err := d.current(ctx); err != nil {
		return Answer{}, err
	}
	if a, err := d.replay(ctx, &sub, request); !errors.Is(err, ErrNotFound) {
		return a, err
	}
	return Answer{}, refused
}

// replay returns the answer to a repeated submission, or ErrNotFound.
func (d *Detector) replay(ctx context.Context, sub *Submission, request [16]byte) (Answer, error) {
	if sub.ID == "" && sub.Idempotency == "" {
		return Answer{}, ErrNotFound
	}
	r, err := d.index.Replay(ctx, ReplayKey{sub.Idempotency, sub.ID, request})
	if err != nil {
		return Answer{}, fmt.Errorf("find %q: %w", sub.ID, err)
	}
	return d.answer(ctx, r)
}

// current waits until the index has every answer that another server has given.
func (d *Detector) current(ctx context.Context) error {
	if _, err := d.index.Catalog().Stats(ctx); err != nil {
		return fmt.Errorf("wait for the answers of other servers: %w", err)
	}
	return nil
}

func (d *Detector) quota(ctx context.Context) error {
	if d.MaxMembers <= 0 {
		return nil
	}
	st, err := d.index.Catalog().Stats(ctx)
	if err != nil {
		return fmt.Errorf("count members: %w", err)
	}
	if st.Members >= d.MaxMembers {
		return fmt.Errorf("%w: %d articles", ErrQuota, st.Members)
	}
	return nil
}

// decideAndCommit judges and commits, retrying on conflict.
func (d *Detector) decideAndCommit(ctx context.Context, s *subject) (Answer, error) {
	j := d.search(s)
	defer j.release()
	for j.rounds < maxRounds {
		if err := j.pause(ctx); err != nil {
			return Answer{}, err
		}
		o, err := j.conclude(ctx)
		if err != nil {
			return Answer{}, fmt.Errorf("decide on %q: %w", s.sub.ID, err)
		}
		if len(s.sub.Text) >= longText {
			if err := j.acquire(ctx); err != nil {
				return Answer{}, err
			}
		}
		r, err := d.index.Commit(ctx, j.s.change(o, j.query))
		switch {
		case err == nil:
			if r.Kind == KindNew && !r.Replayed {
				d.remember(j.s, r.Entry)
			}
			a, err := d.answer(ctx, r)
			a.Candidates, a.Compared, a.Rounds = j.candidates, j.compared, j.rounds
			return a, err
		case errors.Is(err, ErrConflict): // look only at the newer leaders
		case errors.Is(err, ErrEnded):
			j.restart()
		default:
			return Answer{}, fmt.Errorf("commit %q: %w", s.sub.ID, err)
		}
	}
	return Answer{}, fmt.Errorf("%w: %d rounds", ErrContended, j.rounds)
}

// Check decides without storing. It returns what Add would have answered after change Seq. A new article has no
// docId.
func (d *Detector) Check(ctx context.Context, sub Submission) (Answer, error) {
	if err := d.valid(&sub); err != nil {
		return Answer{}, err
	}
	if err := d.current(ctx); err != nil {
		return Answer{}, fmt.Errorf("check %q: %w", sub.ID, err)
	}
	s, err := d.prepare(ctx, &sub, [16]byte{})
	if err != nil {
		return Answer{}, fmt.Errorf("check %q: %w", sub.ID, err)
	}
	j := d.search(s)
	defer j.release()
	o, err := j.round(ctx)
	if err != nil {
		return Answer{}, fmt.Errorf("check %q: %w", sub.ID, err)
	}
	e := j.s.change(o, j.query).Entry
	if err := d.name(ctx, &e); err != nil {
		return Answer{}, fmt.Errorf("check %q: %w", sub.ID, err)
	}
	a := d.FromEntry(e)
	a.Seq, a.Candidates, a.Compared, a.Rounds = j.query.Since, j.candidates, j.compared, j.rounds
	if e.Kind == KindNew {
		a.DocID = ""
	}
	return a, nil
}

// name adds the nids of leaders, and the docId that a duplicate joins, as Commit would.
func (d *Detector) name(ctx context.Context, e *Entry) (err error) {
	if e.Leader != 0 {
		e.Evidence.LeaderNID, e.Leader, err = d.leaderNID(ctx, e.Leader, e.Evidence.LeaderNID)
	} else if v := &e.Evidence; v.Variant != 0 {
		v.VariantNID, _, err = d.leaderNID(ctx, v.Variant, v.VariantNID)
	}
	return err
}

func (d *Detector) leaderNID(ctx context.Context, leader uint64, nid string) (name string, home uint64, err error) {
	m, err := d.index.Catalog().Member(ctx, nid)
	if err == nil && m.Own() == leader {
		return nid, m.Leader, nil
	}
	return AnonymousNID(leader), leader, gone(err)
}

// valid checks the limits that apply to every caller. The server has further ones.
func (c *cascade) valid(sub *Submission) error {
	switch {
	case strings.HasPrefix(sub.ID, AnonymousPrefix):
		return fmt.Errorf("%w: nid starts with %q", ErrInvalid, AnonymousPrefix)
	case len(sub.ID) > 1024, len(sub.Idempotency) > 1024:
		return fmt.Errorf("%w: nid or idempotency key: too long (want at most 1024 bytes)", ErrInvalid)
	case len(sub.Text)+len(sub.Title)+len(sub.URL) > 64<<20:
		return fmt.Errorf("%w: article: too large (want at most 64 MiB)", ErrInvalid)
	case sub.Window < 0 || sub.Window > maxAge, sub.TTL < 0 || sub.TTL > maxAge:
		return fmt.Errorf("%w: window or time to live: out of range (want 0 to %s)", ErrInvalid, maxAge)
	}
	return c.validExtras(sub.Extras)
}

// answer converts a receipt into an Answer.
func (d *Detector) answer(ctx context.Context, r Receipt) (Answer, error) {
	if err := d.learn(ctx, r); err != nil {
		return Answer{}, err
	}
	a := d.FromEntry(r.Entry)
	a.Replayed = r.Replayed
	if r.Moved != nil {
		a.DocID, a.Corrected = d.ids.DocID(r.Home()), d.corrected(r.Moved)
	}
	return a, nil
}

// learn reads the epochs again if a receipt names an unknown one.
func (d *Detector) learn(ctx context.Context, r Receipt) error {
	if d.ids.Epoch(r.Home()) == r.Epoch {
		return nil
	}
	return d.learnEpochs(ctx)
}

// learnEpochs reads the epochs. Calls wait for each other, so that an older result never replaces a newer one.
func (d *Detector) learnEpochs(ctx context.Context) error {
	d.learning.Lock()
	defer d.learning.Unlock()
	epochs, err := d.index.Catalog().Epochs(ctx)
	if err != nil {
		return fmt.Errorf("read the epochs: %w", err)
	}
	d.ids.learn(epochs)
	// The lost changes may include rulings, so they are read again.
	d.ruled.forget()
	return nil
}

// Resume compares the index with a change that a sink has seen. If the index is behind, it begins an epoch: the
// lost changes stay lost, and their numbers are not reused. It returns ErrBehind if the index is empty and must
// be rebuilt.
func (d *Detector) Resume(ctx context.Context, seen uint64) error {
	d.resuming.Lock() // so that only one epoch begins
	defer d.resuming.Unlock()
	st, err := d.index.Catalog().Stats(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read the last change of the index: %w", err)
	case st.Seq >= seen:
		if d.ids.Epoch(st.Seq) != st.Epoch { // another server began one, and a relay uses it
			return d.learnEpochs(ctx)
		}
		return nil
	case st.Seq == 0:
		return fmt.Errorf("%w: the index is empty, but it had change %d", ErrBehind, seen)
	}
	if err := d.index.BeginEpoch(ctx, Beyond(seen, d.now())); err != nil {
		return fmt.Errorf("begin an epoch: %w", err)
	}
	return d.learnEpochs(ctx)
}

// FromEntry returns the answer that was given with a log entry.
func (d *Detector) FromEntry(e Entry) Answer {
	a := Answer{Seq: e.Seq, LeaderSeq: e.Leader, DocID: d.ids.DocID(e.Leader), Stage: e.Evidence.Stage}
	a.ID, a.Decision.Decision, a.Method, a.Basis = e.NID, neardup.New, e.Evidence.Method, e.Evidence.Basis
	if e.Kind == KindDuplicate {
		a.Decision.Decision = neardup.Duplicate
		a.Leader, a.Similarity = e.Evidence.LeaderNID, e.Evidence.Similarity
		if dist := e.Evidence.Distance; dist >= 0 {
			a.Distance = &dist
		}
	}
	a.SameImages = d.answered(e.Evidence.Advice)
	a.VariantOf, a.Conflicts, a.Disagrees = e.Evidence.VariantNID, e.Evidence.Conflicts, e.Evidence.Disagrees
	a.Relation = e.Evidence.Relation
	if a.Relation != "" {
		a.Probability = e.Evidence.Similarity
	}
	return a
}

// Index returns the index, for its catalogue and its log.
func (d *Detector) Index() Index { return d.index }

// DocIDs returns the converter between docIds and the numbers of leaders.
func (d *Detector) DocIDs() DocIDs { return d.ids }
