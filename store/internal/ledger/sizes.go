package ledger

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/neardup/neardup/docid"
)

// sizes keeps the living leaders of an index in the order of Catalog.Groups, so
// that a page costs a page: sorted places in blocks of at most blockLen, 8 to 16
// bytes a leader. It shows what is durable. One goroutine writes, any number read.
type sizes struct {
	mu     sync.RWMutex
	blocks [][]place // none is empty
}

// place is where a leader stands: the largest first, then the oldest.
type place uint64

const blockLen = 512

func placeOf(size int64, n leaderNo) place {
	return place(math.MaxUint32-min(max(size, 0), math.MaxUint32))<<32 | place(n)
}

// at returns the leader's number in memory and its size.
func (p place) at() (n leaderNo, size int) { return leaderNo(p), math.MaxUint32 - int(p>>32) }

// few is below which size leaders are counted and not sorted.
const few = 256

// fill puts all living leaders in order, at the start: they come in the order of
// their age, and nearly all are small. O(n) for those.
func (s *sizes) fill(leaders *chunks[leaderNo, leader]) {
	var starts [few]int // how many are larger, by size
	var all []place
	total := 0
	living := func(do func(n leaderNo, size int64)) {
		for n := range leaderNo(leaders.len()) {
			if l := leaders.at(n); l.ended.Load() == 0 {
				do(n, max(0, l.size.Load()))
			}
		}
	}
	living(func(n leaderNo, size int64) {
		total++
		if size < few {
			starts[size]++
		} else {
			all = append(all, placeOf(size, n))
		}
	})
	slices.Sort(all)
	at := len(all)
	for size := few - 1; size >= 0; size-- {
		at, starts[size] = at+starts[size], at
	}
	all = append(all, make([]place, total-len(all))...)
	living(func(n leaderNo, size int64) {
		if size < few {
			all[starts[size]] = placeOf(size, n)
			starts[size]++
		}
	})
	s.blocks = nil
	for b := range slices.Chunk(all, blockLen*3/4) {
		s.blocks = append(s.blocks, append(make([]place, 0, blockLen), b...))
	}
}

// move puts a leader in its place when its size has changed; from < 0: it had
// none; to < 0: it has none any more. O(log n).
func (s *sizes) move(n leaderNo, from, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from >= 0 {
		s.remove(placeOf(from, n))
	}
	if to >= 0 {
		s.insert(placeOf(to, n))
	}
}

// block finds the first block that ends at p or behind it.
func (s *sizes) block(p place) int {
	return sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i][len(s.blocks[i])-1] >= p })
}

func (s *sizes) insert(p place) {
	i := s.block(p)
	if i == len(s.blocks) { // behind all
		if i == 0 || len(s.blocks[i-1]) == blockLen {
			s.blocks = append(s.blocks, append(make([]place, 0, blockLen), p))
			return
		}
		i--
	}
	b := s.blocks[i]
	at, _ := slices.BinarySearch(b, p)
	if len(b) < blockLen {
		s.blocks[i] = slices.Insert(b, at, p)
		return
	}
	back := append(make([]place, 0, blockLen), b[blockLen/2:]...)
	s.blocks[i] = b[:blockLen/2]
	s.blocks = slices.Insert(s.blocks, i+1, back)
	s.insert(p)
}

func (s *sizes) remove(p place) {
	i := s.block(p)
	if i == len(s.blocks) {
		return
	}
	b := s.blocks[i]
	at, found := slices.BinarySearch(b, p)
	if !found {
		return
	}
	b = slices.Delete(b, at, at+1)
	s.blocks[i] = b
	switch {
	case len(b) == 0:
		s.blocks = slices.Delete(s.blocks, i, i+1)
	case i+1 < len(s.blocks) && len(b)+len(s.blocks[i+1]) <= blockLen/2:
		s.blocks[i] = append(b, s.blocks[i+1]...)
		s.blocks = slices.Delete(s.blocks, i+1, i+2)
	}
}

// page returns up to limit groups of at least least members from a place on.
// O(limit + log n).
func (s *sizes) page(from place, least, limit int, leaders *chunks[leaderNo, leader]) []docid.GroupSize {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []docid.GroupSize
	for i := s.block(from); i < len(s.blocks); i++ {
		b := s.blocks[i]
		at := 0
		if len(out) == 0 {
			at, _ = slices.BinarySearch(b, from)
		}
		for _, p := range b[at:] {
			n, size := p.at()
			if size < least || len(out) == limit {
				return out
			}
			out = append(out, docid.GroupSize{Leader: leaders.at(n).seq, Size: size})
		}
	}
	return out
}

// bytes is the memory in use.
func (s *sizes) bytes() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.blocks) * (8*blockLen + 24)
}
