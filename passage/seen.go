package passage

import (
	"math/bits"
	"sync/atomic"
)

// seen records which keys recur. Keys that share a cell count as one key, which takes time but loses no passage. It is safe
// for concurrent use.
type seen struct{ words []uint64 } // cells of two bits: seen, and seen again

// cell returns the word of a key and the lower bit of its cell.
func (s *seen) cell(key uint64) (*uint64, uint64) {
	word, rest := bits.Mul64(key, uint64(len(s.words)))
	return &s.words[word], 1 << (rest >> 59 << 1)
}

// ahead is the number of cells looked up at once, so that their memory accesses overlap.
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

// again reports whether a key may recur.
func (s *seen) again(key uint64) bool {
	word, once := s.cell(key)
	return atomic.LoadUint64(word)&(once<<1) != 0
}
