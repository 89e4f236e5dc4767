package passage

import (
	"math/bits"
	"sync/atomic"
)

// seen notes which keys come more than once. Keys may share a cell, and are then
// taken for one: that costs work and no passage. Safe for concurrent use.
type seen struct{ words []uint64 } // cells of two bits: seen, and seen again

func newSeen(memory int64) *seen { return &seen{make([]uint64, max(memory/8, 1))} }

// cell returns the word of a key and the lower bit of its cell.
func (s *seen) cell(key uint64) (*uint64, uint64) {
	word, rest := bits.Mul64(key, uint64(len(s.words)))
	return &s.words[word], 1 << (rest >> 59 << 1)
}

// add notes a key.
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
