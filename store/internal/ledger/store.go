package ledger

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/neardup/neardup/docid"
)

// Store is a docid.Store over a KV. One goroutine writes: it takes what
// waits, up to a group, checks and applies it in order, commits the batch and
// answers. Readers never wait for it.
type Store struct {
	kv       KV
	requests chan *request
	closed   chan struct{} // by Close: what settles comes to its end
	settled  chan struct{}
	quit     chan struct{} // once it has: the writer does
	stopped  chan struct{}
	full     chan struct{} // a table in memory waits to be written
	inMemory int
	volatile bool
	follower *follower // nil: no log is followed
	closing  sync.Once
	copying  sync.Mutex

	mu      sync.Mutex // guards what follows
	indexes map[string]*index
	last    uint32 // number of the last index
	poison  error  // why no write is taken any more
}

// A group is at most so many changes, so that none waits long for the others.
const maxGroup = 512

// request is one unit of work for the writer. apply checks, then writes to
// the batch, and returns what to do once that is durable; an error must mean
// that it wrote nothing.
type request struct {
	ctx     context.Context
	apply   func(Batch) (publish func(), err error)
	publish func()
	err     error
	done    chan struct{}
}

// Options set what a store may use. The zero value is good.
type Options struct {
	// Postings is how many postings of an index lie in memory before they are
	// written to rows, some 50 bytes each. 0: 256 x 1024.
	Postings int
	// Volatile says that the KV ends with the process, so nothing is written for
	// the next start.
	Volatile bool
	// Log, where not nil, is what the store follows: see docid.Log.
	Log docid.Log
	// Beat is how often the servers of a log compare their states, 0: each minute; Keep for how many beats
	// entries are kept, or where Snapshots are made a server that is silent is waited for, 0: 1,440.
	Beat time.Duration
	Keep uint64
	// Server tells this one from the others of a log, also after a restart.
	Server uint64
	// Snapshots, where not nil, says from which entry on those that a new server may begin with need the log; 0: there are none.
	Snapshots func() uint64
	// Waits, where not nil, hears why the log cannot be caught up with yet, and Open goes on trying; nil: Open fails.
	Waits func(error)
	// Restarted, where not nil, hears when it was noticed that the log was restarted or restored, and that all indexes have
	// begun an epoch.
	Restarted func(at time.Time)

	rules byte // the newest that it knows; 0: those of this program

	// Watch, where not nil, sees the rows as each entry of the log has left them, before they are durable.
	Watch func(r Reader, entry uint64)
}

// Open loads the indexes of a KV and starts the writer. It owns the KV from
// then on. ErrNewerFormat, ErrCorrupt.
func Open(ctx context.Context, kv KV, o Options) (*Store, error) {
	s, err := load(ctx, kv, o)
	if err != nil || o.Log == nil {
		return s, err
	}
	if err := s.follow(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// load opens a store that does not follow its log yet.
func load(ctx context.Context, kv KV, o Options) (*Store, error) {
	if o.Postings <= 0 {
		o.Postings = maxInMemory
	}
	s := &Store{
		kv: kv, requests: make(chan *request, maxGroup), indexes: map[string]*index{},
		closed: make(chan struct{}), settled: make(chan struct{}), quit: make(chan struct{}), stopped: make(chan struct{}),
		full: make(chan struct{}, 1), inMemory: o.Postings, volatile: o.Volatile,
	}
	if err := s.load(ctx, o.Log != nil); err != nil {
		return nil, errors.Join(err, kv.Close())
	}
	go s.write()
	go s.settle()
	return s, nil
}

// Index opens or creates the index of a tenant.
func (s *Store) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	if ix, err := s.finished(tenant); ix != nil || err != nil {
		return ix, err
	}
	if create == nil {
		return nil, fmt.Errorf("index of tenant %q: %w", tenant, docid.ErrNotFound)
	}
	id, err := create()
	if err != nil {
		return nil, err
	}
	id.Epochs = nil
	if err := s.propose(ctx, &proposal{tenant: tenant, identity: &id}); err != nil {
		return nil, fmt.Errorf("create index of tenant %q: %w", tenant, err)
	}
	return s.finished(tenant)
}

// finished is the index of a tenant, nil if there is none: ErrUnfinished. (An
// interface, so that no index is nil.)
func (s *Store) finished(tenant string) (docid.Index, error) {
	ix := s.index(tenant)
	if ix == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ix.unfinished {
		return nil, fmt.Errorf("index of tenant %q: %w", tenant, docid.ErrUnfinished)
	}
	return ix, nil
}

func (s *Store) index(tenant string) *index {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ix := s.indexes[tenant]; ix != nil {
		return ix
	}
	return nil
}

// createIndex runs in the writer; somebody may have been faster.
func (s *Store) createIndex(b Batch, tenant string, id docid.Identity, unfinished bool) (func(), error) {
	if len(tenant) == 0 || len(tenant) > 1024 {
		return nil, fmt.Errorf("%w: a tenant's name has 1 to 1024 bytes", docid.ErrInvalid)
	}
	key := append([]byte{spaceIndex}, tenant...)
	if v, err := b.Get(key); err != nil || v != nil {
		return nil, err
	}
	s.last++
	n := s.last
	value := sealed(key, func(e *encoder) { putIdentity(e, n, &id, unfinished) })
	if err := b.Set(key, value); err != nil {
		return nil, err
	}
	ix := newIndex(s, tenant, n, id)
	ix.unfinished = unfinished
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.indexes[tenant] = ix
	}, nil
}

// Tenants lists the tenants that have an index.
func (s *Store) Tenants(context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.indexes))
	for name, ix := range s.indexes {
		if !ix.unfinished {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// Close waits for a copy that is being made, writes what a start would have to make again, lets the writer finish what
// it has taken, and closes the KV.
func (s *Store) Close() error {
	err := error(nil)
	s.closing.Do(func() {
		s.copying.Lock() // the mark of a copy must not stay in the original
		defer s.copying.Unlock()
		if s.follower != nil {
			s.follower.close()
		}
		close(s.closed)
		<-s.settled
		close(s.quit)
		<-s.stopped
		err = s.kv.Close()
	})
	return err
}

// Poisoned returns why the store takes no more writes; nil while it does. One that
// follows a log takes them again when the log is there again.
func (s *Store) Poisoned() error {
	if err := s.poisoning(); err != nil || s.follower == nil {
		return err
	}
	return s.follower.troubled()
}

func (s *Store) poisoning() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poison
}

// current returns once what was acknowledged anywhere is here.
func (s *Store) current(ctx context.Context) error {
	if s.follower == nil {
		return ctx.Err()
	}
	return s.follower.current(ctx)
}
