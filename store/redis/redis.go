// Package redis is a docid.Store in Redis 7 or Valkey, for many servers at
// once. Check-and-set is one Function; what it keeps where is told at the top
// of functions/state.lua.
package redis

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// The functions, each part after those that it rests on.
var (
	//go:embed functions/map.lua
	mapPart string
	//go:embed functions/state.lua
	statePart string
	//go:embed functions/replay.lua
	replayPart string
	//go:embed functions/articles.lua
	articlesPart string
	//go:embed functions/change.lua
	changePart string
	//go:embed functions/read.lua
	readPart string
	//go:embed functions/restore.lua
	restorePart string
	//go:embed functions/outbox.lua
	outboxPart string
	source     = mapPart + statePart + replayPart + articlesPart + changePart + readPart + restorePart + outboxPart
)

// library is the source under the name of its content, so that servers of
// several versions can share one Redis.
var library, version = func() (string, string) {
	sum := sha256.Sum256([]byte(source))
	v := hex.EncodeToString(sum[:4])
	return "#!lua name=neardup_" + v + "\n" + strings.ReplaceAll(source, "VERSION", v), v
}()

// Options are how a store is opened.
type Options struct {
	// Address is redis://[USER:PASSWORD@]HOST:PORT[/DB], rediss:// with TLS;
	// "addr=HOST:PORT" in its query names more nodes, "master_set=NAME" makes
	// them Sentinels.
	Address string
	// Replicas is how many replicas must have a change on disk, beside the
	// primary, before it is answered (WAITAOF: Redis 7.2, Valkey).
	Replicas int
	// AcceptLoss opens a Redis that may lose what it acknowledged.
	AcceptLoss bool
}

// Store is a docid.Store in Redis.
type Store struct {
	c       rueidis.Client
	o       Options
	library atomic.Pointer[docid.Library]
	history atomic.Pointer[docid.History]
	wait    time.Duration // how long a change may take to reach the replicas
	watch   watch
}

// Open connects, waits until Redis has read its data, checks what it promises and loads
// the functions.
// ErrUnavailable; ErrInvalid where Redis is set up to lose answers.
func Open(ctx context.Context, o Options) (*Store, error) {
	opt, err := rueidis.ParseURL(o.Address)
	if err != nil {
		var bad *url.Error // says the whole address, password and all
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, fmt.Errorf("%w: address of Redis: %w", docid.ErrInvalid, err)
	}
	opt.DisableCache, opt.ClientName = true, "neardup"
	opt.ConnWriteTimeout = 10 * time.Second
	s := &Store{o: o, wait: 2 * time.Second}
	if err := onceLoaded(ctx, func() error { return s.connect(ctx, opt) }); err != nil {
		return nil, err
	}
	if !o.AcceptLoss {
		s.watch.begin(s.unlogged)
	}
	return s, nil
}

// loadPause is how long to wait before asking again a Redis that reads its data.
const loadPause = 250 * time.Millisecond

// onceLoaded works with a Redis that may still be reading its data after a start, which
// it says of itself: it is waited for as long as ctx lasts.
func onceLoaded(ctx context.Context, work func() error) error {
	for {
		err := work()
		said, ok := errors.AsType[*rueidis.RedisError](err)
		if !ok || !said.IsLoading() {
			return err
		}
		select {
		case <-time.After(loadPause):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// connect connects and prepares what is there.
func (s *Store) connect(ctx context.Context, opt rueidis.ClientOption) (err error) {
	if s.c, err = rueidis.NewClient(opt); err != nil {
		return fmt.Errorf("%w: connect to Redis: %w", docid.ErrUnavailable, err)
	}
	if err := s.prepare(ctx); err != nil {
		s.c.Close()
		return err
	}
	return nil
}

// prepare checks every node and loads the functions into those that write.
func (s *Store) prepare(ctx context.Context) error {
	for addr, node := range s.c.Nodes() {
		p, err := promises(ctx, node)
		if err != nil {
			return fmt.Errorf("node %s: %w", addr, s.fail(err))
		}
		if err := p.accept(s.o); err != nil {
			return fmt.Errorf("node %s: %w", addr, err)
		}
		if p.replica {
			continue
		}
		if err := s.renew(ctx, node); err != nil {
			return fmt.Errorf("node %s: %w", addr, err)
		}
		// What is there under the name has this content.
		if err := node.Do(ctx, node.B().FunctionLoad().FunctionCode(library).Build()).Error(); err != nil && !strings.Contains(err.Error(), "already exists") {
			return fmt.Errorf("node %s: load functions: %w", addr, s.fail(err))
		}
	}
	return nil
}

// Promises lists what may be lost by how each node is set up, one line each;
// none where nothing may.
func (s *Store) Promises(ctx context.Context) ([]string, error) {
	var lines []string
	for addr, node := range s.c.Nodes() {
		p, err := promises(ctx, node)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", addr, s.fail(err))
		}
		for _, loss := range p.losses(s.o) {
			lines = append(lines, addr+": "+loss)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// tenants is the set of names; what makes a tenant is its identity.
const tenants = "neardup:tenants"

func prefix(tenant string) string { return "nd{" + hex.EncodeToString([]byte(tenant)) + "}:" }

// layout is the only one that is read: another is refused by its number. 1 had no
// number, and postings in hashes.
const layout = 2

// identity is docid.Identity as it lies in Redis.
type identity struct {
	// Layout is how the index lies in Redis.
	Layout  int
	Seed    uint64
	Key     []byte
	Spec    string
	Table   []byte
	Created int64
}

// Index opens or creates the index of a tenant.
func (s *Store) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	if len(tenant) == 0 || len(tenant) > 1024 {
		return nil, fmt.Errorf("%w: a tenant's name has 1 to 1024 bytes", docid.ErrInvalid)
	}
	ix, err := s.open(ctx, tenant)
	if create == nil || !errors.Is(err, docid.ErrNotFound) {
		return ix, err
	}
	id, err := create()
	if err != nil {
		return nil, err
	}
	value, err := s.enroll(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	set := s.c.B().Set().Key(prefix(tenant) + "i").Value(value).Nx().Build()
	if err := s.c.Do(ctx, set).Error(); err != nil && !rueidis.IsRedisNil(err) { // nil: somebody was faster
		return nil, s.fail(err)
	}
	return s.open(ctx, tenant)
}

// enroll lists a tenant and returns its identity as it is written.
func (s *Store) enroll(ctx context.Context, tenant string, id docid.Identity) (string, error) {
	value, err := json.Marshal(identity{layout, id.Seed, id.Key[:], id.Spec, id.Table, id.Created})
	if err != nil {
		return "", fmt.Errorf("identity of tenant %q: %w", tenant, err)
	}
	if err := s.renewLog(ctx, prefix(tenant)); err != nil {
		return "", err
	}
	return string(value), s.fail(s.c.Do(ctx, s.c.B().Sadd().Key(tenants).Member(tenant).Build()).Error())
}

func (s *Store) open(ctx context.Context, tenant string) (docid.Index, error) {
	p := prefix(tenant)
	value, err := s.c.Do(ctx, s.c.B().Get().Key(p+"i").Build()).AsBytes()
	if rueidis.IsRedisNil(err) {
		return nil, fmt.Errorf("index of tenant %q: %w", tenant, s.absent(ctx, p))
	}
	if err != nil {
		return nil, s.fail(err)
	}
	var id identity
	if err := json.Unmarshal(value, &id); err != nil || len(id.Key) != 32 {
		return nil, fmt.Errorf("%w: identity of tenant %q", docid.ErrCorrupt, tenant)
	}
	if id.Layout > layout {
		return nil, fmt.Errorf("%w: the index of tenant %q lies in Redis in layout %d, this version knows %d", docid.ErrNewerFormat, tenant, id.Layout, layout)
	}
	if id.Layout < layout {
		return nil, fmt.Errorf("%w: the index of tenant %q lies in Redis in layout %d, which this version does not read: let the sinks get everything with the version that wrote it, empty Redis and make the index again with neardup rebuild",
			docid.ErrOlderFormat, tenant, max(id.Layout, 1))
	}
	ix := &index{s: s, p: p, tenant: tenant, id: docid.Identity{Seed: id.Seed, Key: [32]byte(id.Key), Spec: id.Spec, Table: id.Table, Created: id.Created}}
	ix.mark = p + "y" + markOf(value)
	if err := ix.recognize(ctx); err != nil {
		return nil, err
	}
	ix.id.Epochs, err = ix.Catalog().Epochs(ctx)
	return ix, err
}

// absent says why there is no identity.
func (s *Store) absent(ctx context.Context, p string) error {
	half, err := s.c.Do(ctx, s.c.B().Exists().Key(p+"u").Build()).AsInt64()
	switch {
	case err != nil:
		return s.fail(err)
	case half == 1:
		return docid.ErrUnfinished
	}
	return docid.ErrNotFound
}

// Tenants lists the tenants that have an index.
func (s *Store) Tenants(ctx context.Context) ([]string, error) {
	names, err := s.c.Do(ctx, s.c.B().Smembers().Key(tenants).Build()).AsStrSlice()
	if err != nil {
		return nil, s.fail(err)
	}
	slices.Sort(names)
	var made []string
	for _, n := range names {
		there, err := s.c.Do(ctx, s.c.B().Exists().Key(prefix(n)+"i").Build()).AsInt64()
		if err != nil {
			return nil, s.fail(err)
		}
		if there == 1 {
			made = append(made, n)
		}
	}
	return made, nil
}

// Reach asks whether Redis is there, and has read its data.
func (s *Store) Reach(ctx context.Context) error {
	return s.fail(s.c.Do(ctx, s.c.B().Ping().Build()).Error())
}

// Time is what Redis takes it to be.
func (s *Store) Time(ctx context.Context) (time.Time, error) {
	parts, err := s.c.Do(ctx, s.c.B().Time().Build()).AsIntSlice()
	if err != nil {
		return time.Time{}, s.fail(err)
	}
	if len(parts) != 2 {
		return time.Time{}, fmt.Errorf("%w: a time of %d parts", docid.ErrUnavailable, len(parts))
	}
	return time.Unix(parts[0], 1000*parts[1]), nil
}

// Close lets go of Redis.
func (s *Store) Close() error {
	s.watch.end()
	s.c.Close()
	return nil
}

// fail puts an error of Redis into the words of the contract. Whether what
// failed was done is not known.
func (s *Store) fail(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case strings.HasPrefix(err.Error(), "OOM"):
		return fmt.Errorf("%w: %w", docid.ErrFull, err)
	}
	return fmt.Errorf("%w: %w", docid.ErrUnavailable, err)
}

// call runs a function on keys. A Redis that does not have it, one that was
// replaced by an empty one for example, gets it once.
func (s *Store) call(ctx context.Context, write bool, function string, keys []string, args ...string) ([]rueidis.RedisMessage, error) {
	answer, err := s.try(ctx, write, function, keys, args)
	if err != nil && strings.Contains(err.Error(), "Function not found") {
		if err := s.prepare(ctx); err != nil {
			return nil, err
		}
		answer, err = s.try(ctx, write, function, keys, args)
	}
	return answer, s.fail(err)
}

func (s *Store) try(ctx context.Context, write bool, function string, keys, args []string) ([]rueidis.RedisMessage, error) {
	name := "neardup_" + function + "_" + version
	if !write {
		return s.c.Do(ctx, s.c.B().FcallRo().Function(name).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build()).ToArray()
	}
	if s.o.Replicas <= 0 || function == "mine" { // which is written again where a replica lacks it
		return s.c.Do(ctx, s.c.B().Fcall().Function(name).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build()).ToArray()
	}
	var answer []rueidis.RedisMessage
	err := s.c.Dedicated(func(c rueidis.DedicatedClient) error {
		// A replica that is asked how far its disk is answers before it syncs what it
		// has just got, and next a second later by itself. So it is asked for the
		// change first (WAIT, 1 to 30 ms), and for its disk once it has that.
		results := c.DoMulti(
			ctx,
			c.B().Fcall().Function(name).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build(),
			c.B().Wait().Numreplicas(int64(s.o.Replicas)).Timeout(s.wait.Milliseconds()).Build(),
			c.B().Waitaof().Numlocal(1).Numreplicas(int64(s.o.Replicas)).Timeout(s.wait.Milliseconds()).Build(),
		)
		var err error
		if answer, err = results[0].ToArray(); err != nil {
			return err
		}
		return s.replicated(results[2])
	})
	return answer, err
}

// everything is a change that settle never knows of.
const everything = math.MaxUint64

// settle returns once all that was read before, up to a change, is on the disks of
// the replicas, so that nobody is told what could still be lost.
func (ix *index) settle(ctx context.Context, upTo uint64) error {
	if ix.s.o.Replicas <= 0 || upTo <= ix.settled.Load() {
		return nil
	}
	if _, err := ix.call(ctx, true, "settle"); err != nil {
		return err
	}
	if upTo != everything {
		ix.reached(upTo)
	}
	return nil
}

// reached notes that a change, and all before it, is on the disks of the replicas.
func (ix *index) reached(seq uint64) {
	for old := ix.settled.Load(); old < seq && !ix.settled.CompareAndSwap(old, seq); old = ix.settled.Load() {
	}
}

func (s *Store) replicated(r rueidis.RedisResult) error {
	n, err := r.AsIntSlice()
	if err != nil {
		return fmt.Errorf("wait for replicas: %w", err)
	}
	if len(n) != 2 || n[0] < 1 || n[1] < int64(s.o.Replicas) {
		return fmt.Errorf("a change is on disk in %v of %d servers and their replicas", n, 1+s.o.Replicas)
	}
	return nil
}
