package ledger

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/group"
)

// Store is a docid.Store over a KV. One goroutine at a time writes. It applies a group of waiting requests in order,
// commits them in one batch, and answers. Readers never wait for it.
type Store struct {
	kv       KV
	writer   *group.Calls[request]
	closed   chan struct{} // closed by Close to stop flushing
	settled  chan struct{}
	full     chan struct{} // signals that an immutable memtable should be written
	inMemory int
	volatile bool
	follower *follower // nil without a log
	closing  sync.Once
	copying  sync.Mutex

	mu      sync.Mutex // protects the fields below
	indexes map[string]*index
	last    uint32 // number of the last index
	poison  error  // the reason why writes are refused
}

// maxGroup limits the requests of a batch.
const maxGroup = 512

// Options configure a store. The zero value is usable.
type Options struct {
	// Postings is the number of postings of an index that are kept in memory before they are written to rows, about 50
	// bytes each. The default is 256 x 1024.
	Postings int
	// Volatile marks a KV that ends with the process, so Close writes nothing for the next start.
	Volatile bool
	// Log is the log that the store follows, or nil. See docid.Log.
	Log docid.Log
	// Beat is the interval at which the servers of a log compare their states (default 1 minute). Keep is the number of
	// heartbeats (default 1,440) for which entries are kept. With Snapshots, it is the number for which a silent server
	// counts.
	Beat time.Duration
	Keep uint64
	// Server identifies this server among those of a log, even after a restart.
	Server uint64
	// Snapshots returns the first entry that a new server needs after the last snapshot, or 0 without one. It
	// may be nil.
	Snapshots func() uint64
	// Waits is called if Open cannot catch up with the log yet. Open then tries again. If Waits is nil, Open fails.
	Waits func(error)
	// Restarted, if not nil, is called when the log was restarted or restored and all indexes have begun an
	// epoch.
	Restarted func(at time.Time)

	rules byte // newest version that it knows; 0 means that of this program

	// Watch, if not nil, is called with the rows after each entry of the log, before they are durable.
	Watch func(r Reader, entry uint64)
}

// Open loads the indexes of a KV and starts the writer. From then on the store owns the KV. It returns ErrNewerFormat,
// ErrOlderFormat or ErrCorrupt if the rows cannot be used.
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

// load opens a store without following its log.
func load(ctx context.Context, kv KV, o Options) (*Store, error) {
	if o.Postings <= 0 {
		o.Postings = maxInMemory
	}
	s := &Store{
		kv: kv, indexes: map[string]*index{}, closed: make(chan struct{}), settled: make(chan struct{}),
		full: make(chan struct{}, 1), inMemory: o.Postings, volatile: o.Volatile,
	}
	if err := s.load(ctx, o.Log != nil); err != nil {
		return nil, errors.Join(err, kv.Close())
	}
	s.writer = group.New(s.write)
	go s.flushAndCompact()
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
	if _, err := s.propose(ctx, &proposal{tenant: tenant, identity: &id}); err != nil {
		return nil, fmt.Errorf("create index of tenant %q: %w", tenant, err)
	}
	return s.finished(tenant)
}

// finished returns the index of a tenant. It returns nil if there is none, and ErrUnfinished if it is being rebuilt. The
// result is an interface, so that a missing index is a nil interface.
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
	return s.indexes[tenant]
}

// createIndex creates an index, unless another caller has done so. The writer calls it.
func (s *Store) createIndex(b *writes, tenant string, id docid.Identity, unfinished bool) (func(), error) {
	if len(tenant) == 0 || len(tenant) > 1024 {
		return nil, fmt.Errorf("%w: invalid name of a tenant (want 1 to 1024 bytes)", docid.ErrInvalid)
	}
	key := append([]byte{spaceIndex}, tenant...)
	if v, err := b.Get(key); err != nil || v != nil {
		return nil, err
	}
	s.last++
	ix := newIndex(s, tenant, s.last, id)
	ix.unfinished = unfinished
	b.set(key, ix.stored()...)
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

// Close waits for a copy in progress, flushes postings, waits until the writer has finished its requests, and closes the
// KV.
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
		s.writer.Close()
		err = s.kv.Close()
	})
	return err
}

// Poisoned returns why the store refuses writes, or nil if it accepts them. A store that follows a log accepts them again
// once the log is available.
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

// current waits until this store has applied all acknowledged changes.
func (s *Store) current(ctx context.Context) error {
	if s.follower == nil {
		return ctx.Err()
	}
	return s.follower.current(ctx)
}
