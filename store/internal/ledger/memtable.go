package ledger

import (
	"slices"
	"sync"
	"sync/atomic"
)

// leaderNo numbers the leaders of an index in memory, in the order of their changes. On disk, changes and leaders have
// uint64 numbers.
type leaderNo uint32

// leader holds what a look-up returns of a leader without reading a row.
type leader struct {
	seq    uint64
	sketch uint64
	time   int64
	ended  atomic.Uint64 // change that ended it, or 0
	size   atomic.Int64  // number of durable members
}

// lives reports whether the leader lived as of change at.
func (l *leader) lives(at uint64) bool {
	e := l.ended.Load()
	return e == 0 || e > at
}

// posting is a change that put a leader under a key.
type posting struct {
	seq    uint64
	leader leaderNo
}

// memtable holds the newest postings of an index, by key. One goroutine writes, and any number of goroutines read.
type memtable struct {
	mu   sync.RWMutex
	one  map[uint64]posting // keys with one posting, which are most; they have no pointers that the garbage collector would follow
	more map[uint64]run     // all other keys
	keys atomic.Int64
}

func newMemtable() *memtable { return &memtable{one: map[uint64]posting{}, more: map[uint64]run{}} }

// post records that change seq puts leader l under keys.
func (t *memtable) post(seq uint64, l leaderNo, keys ...uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := posting{seq, l}
	for _, k := range keys {
		first, once := t.one[k]
		switch list := t.more[k]; {
		case once:
			delete(t.one, k)
			t.more[k] = run{first, p}
		case list != nil:
			t.more[k] = append(list, p)
		default:
			t.one[k] = p
		}
	}
	t.keys.Add(int64(len(keys)))
}

// get returns the postings of a key. The caller may read them without the lock, because a run never changes.
func (t *memtable) get(key uint64) run {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if p, once := t.one[key]; once {
		return run{p}
	}
	return t.more[key]
}

// bytes returns the approximate memory in use.
func (t *memtable) bytes() int { return 52 * int(t.keys.Load()) }

// sorted returns the postings of living leaders, in order.
func (t *memtable) sorted(p *postings) []segmented {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]segmented, 0, t.keys.Load())
	add := func(key uint64, post posting) {
		if l := p.leaders.at(post.leader); l.ended.Load() == 0 {
			all = append(all, segmented{key, post.seq, l.seq})
		}
	}
	for k, post := range t.one {
		add(k, post)
	}
	for k, list := range t.more {
		for _, post := range list {
			add(k, post)
		}
	}
	slices.SortFunc(all, segmented.compare)
	return all
}

// chunks is an array that grows without moving, so readers need no lock. An element may be read as soon as its number is
// known.
type chunks[N ~uint32, T any] struct {
	list atomic.Pointer[[]*[chunkLen]T]
	n    atomic.Int64
}

const chunkLen = 4096

func (c *chunks[N, T]) len() int { return int(c.n.Load()) }

func (c *chunks[N, T]) at(i N) *T { return &(*c.list.Load())[i/chunkLen][i%chunkLen] }

// add appends a T and returns its number. It calls fill on the T before it raises the length, so readers only see complete
// elements.
func (c *chunks[N, T]) add(fill func(*T)) N {
	n := int(c.n.Load())
	if n%chunkLen == 0 {
		var list []*[chunkLen]T
		if old := c.list.Load(); old != nil {
			list = *old
		}
		list = append(list[:len(list):len(list)], new([chunkLen]T))
		c.list.Store(&list)
	}
	fill(c.at(N(n)))
	c.n.Add(1)
	return N(n)
}
