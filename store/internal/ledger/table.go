package ledger

import (
	"sync"
	"sync/atomic"
)

// table holds the newest postings of one index in memory: key -> who was posted
// under it, in the order of the changes. One goroutine writes, any number
// read. Keys are spread over shards, each an open-addressing hash table of 12
// bytes a slot, at most 4/5 full; a key posted twice or more moves to a list of its
// own, so a hot bucket costs others nothing.
type table struct {
	shards [1 << shardBits]shard
	posts  chunks[posting]
	keys   atomic.Int64
}

// leader is what a look-up tells of a leader without touching a row.
type leader struct {
	seq    uint64
	sketch uint64
	time   int64
	ended  atomic.Uint64 // change that ended it; 0: lives
	size   atomic.Int64  // members, durable ones
}

// lives reports whether the leader was there as of change at.
func (l *leader) lives(at uint64) bool {
	e := l.ended.Load()
	return e == 0 || e > at
}

// posting is one change that put a leader under keys.
type posting struct {
	seq    uint64
	leader uint32
}

const (
	// shardBits makes shards so small that one that grows keeps the writer
	// for less than a millisecond at a million leaders; all of them grow at about the
	// same time. They take 140 KB of an index that is empty.
	shardBits = 10
	listBit   = 1 << 31
	minSlots  = 8
)

type shard struct {
	mu    sync.RWMutex
	keys  []uint64
	vals  []uint32 // 0: empty; posting+1; listBit: index into lists
	used  int
	lists [][]uint32
	free  []uint32 // unused lists
}

func mix(k uint64) uint64 {
	k ^= k >> 32
	k *= 0x9e3779b97f4a7c15
	k ^= k >> 29
	return k
}

func shardOf(key uint64) int { return int(mix(key) >> (64 - shardBits)) }

func (t *table) shard(key uint64) *shard { return &t.shards[shardOf(key)] }

// post records that change seq puts leader l under keys.
func (t *table) post(seq uint64, l uint32, keys ...uint64) {
	p := t.posts.add(func(p *posting) { *p = posting{seq, l} }) + 1
	for _, k := range keys {
		t.shard(k).add(k, p)
	}
	t.keys.Add(int64(len(keys)))
}

// drop removes a leader from a key.
func (t *table) drop(key uint64, l uint32) {
	n := t.shard(key).drop(key, func(p uint32) bool { return t.posts.at(p-1).leader == l })
	t.keys.Add(-int64(n))
}

// bytes is the memory in use, about.
func (t *table) bytes() int {
	n := 16 * t.posts.len()
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.RLock()
		n += 12*len(s.keys) + 24*len(s.lists)
		s.mu.RUnlock()
	}
	return n
}

// slot finds the place of a key: where it is or where it would go.
func (s *shard) slot(key uint64) int {
	i := int(mix(key)<<shardBits>>32) * len(s.keys) >> 32
	for s.vals[i] != 0 && s.keys[i] != key {
		if i++; i == len(s.keys) {
			i = 0
		}
	}
	return i
}

// get returns the one posting or the list of a key. The list may be read
// without the lock: what is in it never changes.
func (s *shard) get(key uint64) (uint32, []uint32) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.keys) == 0 {
		return 0, nil
	}
	v := s.vals[s.slot(key)]
	if v&listBit == 0 {
		return v, nil
	}
	return 0, s.lists[v&^listBit]
}

func (s *shard) add(key uint64, p uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(key, p)
}

// put is add for whoever has the lock.
func (s *shard) put(key uint64, p uint32) {
	if 5*(s.used+1) > 4*len(s.keys) {
		s.grow()
	}
	i := s.slot(key)
	switch v := s.vals[i]; {
	case v == 0:
		s.keys[i], s.vals[i] = key, p
		s.used++
	case v&listBit != 0:
		n := v &^ listBit
		s.lists[n] = append(s.lists[n], p)
	default:
		s.vals[i] = s.newList(v, p) | listBit
	}
}

func (s *shard) newList(ps ...uint32) uint32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		s.lists[at] = ps
		return at
	}
	s.lists = append(s.lists, ps)
	return uint32(len(s.lists) - 1)
}

// grow makes room by half; every key finds its slot again.
func (s *shard) grow() {
	keys, vals := s.keys, s.vals
	n := max(minSlots, len(keys)+len(keys)/2)
	s.keys, s.vals = make([]uint64, n), make([]uint32, n)
	for i, v := range vals {
		if v != 0 {
			at := s.slot(keys[i])
			s.keys[at], s.vals[at] = keys[i], v
		}
	}
}

// drop removes the postings of a key that gone selects, and returns how many.
func (s *shard) drop(key uint64, gone func(uint32) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) == 0 {
		return 0
	}
	i := s.slot(key)
	v := s.vals[i]
	if v&listBit == 0 {
		if v == 0 || !gone(v) {
			return 0
		}
		s.empty(i)
		return 1
	}
	old := s.lists[v&^listBit]
	kept := make([]uint32, 0, len(old)) // a new list: readers may hold the old
	for _, p := range old {
		if !gone(p) {
			kept = append(kept, p)
		}
	}
	s.lists[v&^listBit] = kept
	if len(kept) == 0 {
		s.lists[v&^listBit] = nil
		s.free = append(s.free, v&^listBit)
		s.empty(i)
	}
	return len(old) - len(kept)
}

// empty clears a slot and moves back what had been pushed behind it.
func (s *shard) empty(i int) {
	s.vals[i] = 0
	s.used--
	for j := (i + 1) % len(s.keys); s.vals[j] != 0; j = (j + 1) % len(s.keys) {
		key, v := s.keys[j], s.vals[j]
		s.vals[j] = 0
		at := s.slot(key)
		s.keys[at], s.vals[at] = key, v
	}
}

// chunks is an array that grows without moving, so that readers need no lock:
// whoever learnt an index after it was added may read it.
type chunks[T any] struct {
	list atomic.Pointer[[]*[chunkLen]T]
	n    atomic.Int64
}

const chunkLen = 4096

func (c *chunks[T]) len() int { return int(c.n.Load()) }

func (c *chunks[T]) at(i uint32) *T { return &(*c.list.Load())[i/chunkLen][i%chunkLen] }

// add appends what fill makes of a zero T and returns its index. Filled first:
// a reader that sees the length sees the whole.
func (c *chunks[T]) add(fill func(*T)) uint32 {
	n := int(c.n.Load())
	if n%chunkLen == 0 {
		var list []*[chunkLen]T
		if old := c.list.Load(); old != nil {
			list = *old
		}
		list = append(list[:len(list):len(list)], new([chunkLen]T))
		c.list.Store(&list)
	}
	fill(c.at(uint32(n)))
	c.n.Add(1)
	return uint32(n)
}
