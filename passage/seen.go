package passage

import (
	"math/bits"
	"sync/atomic"
)

// seen notes which keys come more than once. Keys may share a cell, and are then
// taken for one: that costs work and no passage. Safe for concurrent use.
type seen struct{ words []uint64 } // cells of two bits: seen, and seen again

// cell returns the word of a key and the lower bit of its cell.
func (s *seen) cell(key uint64) (*uint64, uint64) {
	word, rest := bits.Mul64(key, uint64(len(s.words)))
	return &s.words[word], 1 << (rest >> 59 << 1)
}

// ahead is how many cells are looked up at once: each is a wait for memory, and many
// together are hardly longer than one.
const ahead = 64

func (s *seen) each(anchors []anchor, fn func(*anchor)) {
	for len(anchors) > 0 {
		n := min(len(anchors), ahead)
		for i := range anchors[:n] {
			word, _ := s.cell(anchors[i].whole)
			atomic.LoadUint64(word)
		}
		for i := range anchors[:n] {
			fn(&anchors[i])
		}
		anchors = anchors[n:]
	}
}

func (s *seen) add(key uint64) {
	word, once := s.cell(key)
	if atomic.LoadUint64(word)&(once<<1) == 0 && atomic.OrUint64(word, once)&once != 0 {
		atomic.OrUint64(word, once<<1)
	}
}

// again reports whether a key may have come more than once.
func (s *seen) again(key uint64) bool {
	word, once := s.cell(key)
	return atomic.LoadUint64(word)&(once<<1) != 0
}
