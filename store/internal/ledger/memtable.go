package ledger

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// maxInMemory is the default size of the active memtable: the postings of about 15,000 leaders.
const maxInMemory = 256 << 10

// tables are the postings in memory: those of the changes after flushed. A loaded value never changes, except for
// its active memtable.
type tables struct {
	flushed   uint64    // the rows have the postings of the changes up to it
	immutable *memtable // is written to rows, or nil
	to        uint64    // last change of immutable
	active    *memtable
}

func newTables(flushed uint64) *tables { return &tables{flushed: flushed, active: newMemtable()} }

// get returns the leaders of a key, newest first.
func (t *tables) get(key uint64) []leaderNo {
	run := t.active.get(nil, key)
	if t.immutable != nil {
		run = t.immutable.get(run, key)
	}
	return run
}

// bytes returns the approximate memory in use.
func (t *tables) bytes() int {
	n := t.active.len()
	if t.immutable != nil {
		n += t.immutable.len()
	}
	return 40 * n
}

// memtable holds the leaders of keys. One goroutine writes, any number read.
type memtable struct {
	mu      sync.RWMutex
	newest  map[uint64]leaderNo   // by key, without pointers for the garbage collector
	earlier map[uint64][]leaderNo // in order
	n       int
}

func newMemtable() *memtable {
	return &memtable{newest: map[uint64]leaderNo{}, earlier: map[uint64][]leaderNo{}}
}

func (m *memtable) post(n leaderNo, keys []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range keys {
		if old, there := m.newest[k]; there {
			m.earlier[k] = append(m.earlier[k], old)
		}
		m.newest[k] = n
	}
	m.n += len(keys)
}

func (m *memtable) len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.n
}

// get appends the leaders of a key, newest first.
func (m *memtable) get(to []leaderNo, key uint64) []leaderNo {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, there := m.newest[key]
	if !there {
		return to
	}
	to = append(to, n)
	for _, n := range slices.Backward(m.earlier[key]) {
		to = append(to, n)
	}
	return to
}

// posting is a leader under a key.
type posting struct {
	key    uint64
	leader leaderNo
}

// sorted returns all postings in the order of their rows.
func (m *memtable) sorted() []posting {
	all := make([]posting, 0, m.n)
	for k, n := range m.newest {
		all = append(all, posting{k, n})
	}
	for k, run := range m.earlier {
		for _, n := range run {
			all = append(all, posting{k, n})
		}
	}
	slices.SortFunc(all, func(a, b posting) int {
		if a.key != b.key { // nearly always
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(b.leader, a.leader)
	})
	return all
}

// freeze makes the active memtable immutable if it is full and no other is being written. to is its last change. Only
// the writer calls it, or a start.
func (ix *index) freeze(to uint64) bool {
	t := ix.posts.tables.Load()
	full := t.immutable == nil && t.active.len() >= ix.store.inMemory
	if full {
		ix.posts.tables.Store(&tables{t.flushed, t.active, to, newMemtable()})
	}
	return full
}

// flushRows is how many rows flush writes in one batch, so that no change waits long.
const flushRows = 4096

// flush writes the immutable memtable to rows. Until the last batch the rows do not count, and a start writes them
// again. do runs work in the writer.
func (ix *index) flush(do func(context.Context, func(Batch) (func(), error)) error) error {
	p, t := &ix.posts, ix.posts.tables.Load()
	for all := range slices.Chunk(t.immutable.sorted(), flushRows) {
		err := do(context.Background(), func(b Batch) (func(), error) {
			for _, a := range all {
				if l := p.leaders.at(a.leader); l.ended.Load() == 0 {
					if err := b.Set(postingKey(ix.id, a.key, l.seq), []byte{}); err != nil {
						return nil, err
					}
				}
			}
			return wrote, nil
		})
		if err != nil {
			return err
		}
	}
	return do(context.Background(), func(b Batch) (func(), error) {
		key := ix.key(spaceFlushed)
		return func() { p.tables.Store(&tables{flushed: t.to, active: p.tables.Load().active}) }, b.Set(key, sealed(key, oneUint(&t.to)))
	})
}
