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
	posts  chunks[postingNo, posting]
	keys   atomic.Int64
}

// What is numbered in memory, each by a type of its own. Changes, and with
// them leaders elsewhere, are numbered by uint64.
type (
	// leaderNo is the place of a leader among those of the index, in the
	// order of the changes.
	leaderNo uint32
	// postingNo is the place of a posting in a table.
	postingNo uint32
	// slot is what a table has of a key: nothing (0), one posting (its number
	// plus 1), or a list (its number, with listBit).
	slot uint32
)

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
	leader leaderNo
}

const (
	// shardBits makes shards so small that one that grows keeps the writer
	// for less than a millisecond at a million leaders; all of them grow at about the
	// same time. They take 140 KB of an index that is empty.
	shardBits = 10
	listBit   = slot(1 << 31)
	minSlots  = 8
)

type shard struct {
	mu    sync.RWMutex
	keys  []uint64
	slots []slot
	used  int
	lists [][]postingNo
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
func (t *table) post(seq uint64, l leaderNo, keys ...uint64) {
	p := t.posts.add(func(p *posting) { *p = posting{seq, l} })
	for _, k := range keys {
		t.shard(k).add(k, p)
	}
	t.keys.Add(int64(len(keys)))
}

// drop removes a leader from a key.
func (t *table) drop(key uint64, l leaderNo) {
	n := t.shard(key).drop(key, func(p postingNo) bool { return t.posts.at(p).leader == l })
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

// place finds where a key is or where it would go.
func (s *shard) place(key uint64) int {
	i := int(mix(key)<<shardBits>>32) * len(s.keys) >> 32
	for s.slots[i] != 0 && s.keys[i] != key {
		if i++; i == len(s.keys) {
			i = 0
		}
	}
	return i
}

// get returns the postings of a key. They may be read without the lock: what
// is in a list never changes.
func (s *shard) get(key uint64) []postingNo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.keys) == 0 {
		return nil
	}
	switch at := s.slots[s.place(key)]; {
	case at == 0:
		return nil
	case at&listBit == 0:
		return []postingNo{at.posting()}
	default:
		return s.lists[at.list()]
	}
}

func slotOf(p postingNo) slot      { return slot(p) + 1 }
func (at slot) posting() postingNo { return postingNo(at - 1) }
func (at slot) list() uint32       { return uint32(at &^ listBit) }

func (s *shard) add(key uint64, p postingNo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(key, p)
}

// put is add for whoever has the lock.
func (s *shard) put(key uint64, p postingNo) {
	if 5*(s.used+1) > 4*len(s.keys) {
		s.grow()
	}
	i := s.place(key)
	switch at := s.slots[i]; {
	case at == 0:
		s.keys[i], s.slots[i] = key, slotOf(p)
		s.used++
	case at&listBit != 0:
		n := at.list()
		s.lists[n] = append(s.lists[n], p)
	default:
		s.slots[i] = s.newList(at.posting(), p)
	}
}

func (s *shard) newList(ps ...postingNo) slot {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		s.lists[at] = ps
		return slot(at) | listBit
	}
	s.lists = append(s.lists, ps)
	return slot(len(s.lists)-1) | listBit
}

// grow makes room by half; every key finds its slot again.
func (s *shard) grow() {
	keys, slots := s.keys, s.slots
	n := max(minSlots, len(keys)+len(keys)/2)
	s.keys, s.slots = make([]uint64, n), make([]slot, n)
	for i, at := range slots {
		if at != 0 {
			to := s.place(keys[i])
			s.keys[to], s.slots[to] = keys[i], at
		}
	}
}

// drop removes the postings of a key that gone selects, and returns how many.
func (s *shard) drop(key uint64, gone func(postingNo) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) == 0 {
		return 0
	}
	i := s.place(key)
	at := s.slots[i]
	if at&listBit == 0 {
		if at == 0 || !gone(at.posting()) {
			return 0
		}
		s.empty(i)
		return 1
	}
	old := s.lists[at.list()]
	kept := make([]postingNo, 0, len(old)) // a new list: readers may hold the old
	for _, p := range old {
		if !gone(p) {
			kept = append(kept, p)
		}
	}
	s.lists[at.list()] = kept
	if len(kept) == 0 {
		s.lists[at.list()] = nil
		s.free = append(s.free, at.list())
		s.empty(i)
	}
	return len(old) - len(kept)
}

// empty clears a slot and moves back what had been pushed behind it.
func (s *shard) empty(i int) {
	s.slots[i] = 0
	s.used--
	for j := (i + 1) % len(s.keys); s.slots[j] != 0; j = (j + 1) % len(s.keys) {
		key, at := s.keys[j], s.slots[j]
		s.slots[j] = 0
		to := s.place(key)
		s.keys[to], s.slots[to] = key, at
	}
}

// chunks is an array, by numbers of one kind, that grows without moving, so that
// readers need no lock: whoever learnt a number after it was added may read it.
type chunks[N ~uint32, T any] struct {
	list atomic.Pointer[[]*[chunkLen]T]
	n    atomic.Int64
}

const chunkLen = 4096

func (c *chunks[N, T]) len() int { return int(c.n.Load()) }

func (c *chunks[N, T]) at(i N) *T { return &(*c.list.Load())[i/chunkLen][i%chunkLen] }

// add appends what fill makes of a zero T and returns its number. Filled first:
// a reader that sees the length sees the whole.
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
