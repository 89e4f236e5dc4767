package ngram

import (
	"math/bits"
	"sync/atomic"
)

// corpusCounts holds the counts of the corpus that the keys of pieces.go need. It counts each substring and, after a second
// pass, marks the selected ones. Substrings that share a slot share their count, which costs work but loses no pair.
type corpusCounts struct {
	// few holds counts up to 255, four slots in a word. over holds the excess, in fewer slots. So the sums do not depend on
	// the order of the texts.
	few  []atomic.Uint32
	over []atomic.Uint32
	// selected has a bit for each selected piece. It is nil before the second pass.
	selected []atomic.Uint64
}

const (
	fullSlot = 255
	overBits = 18
	// The table has 2^leastSlotBits to 2^mostSlotBits slots of a byte, and as many bits for selected substrings, depending
	// on the memory.
	leastSlotBits, mostSlotBits = 20, 27
)

// newCorpusCounts allocates tables of at most memory bytes, but at least 2.3 MB.
func newCorpusCounts(memory int64) *corpusCounts {
	width := min(max(bits.Len64(uint64(max(memory, 1)))-1, leastSlotBits), mostSlotBits)
	return &corpusCounts{few: make([]atomic.Uint32, 1<<(width-2)), over: make([]atomic.Uint32, 1<<overBits)}
}

func (c *corpusCounts) slot(hash uint64) (word *atomic.Uint32, shift uint, at int) {
	slot := hash >> 32 * uint64(4*len(c.few)) >> 32
	return &c.few[slot/4], uint(slot%4) * 8, int(slot)
}

func (c *corpusCounts) add(hash uint64) {
	word, shift, slot := c.slot(hash)
	for {
		old := word.Load()
		if old>>shift&fullSlot == fullSlot {
			c.over[slot&(1<<overBits-1)].Add(1)
			return
		}
		if word.CompareAndSwap(old, old+1<<shift) {
			return
		}
	}
}

// count returns an upper bound of the occurrences of a substring. 1 proves that no other text of the corpus has it.
func (c *corpusCounts) count(hash uint64) uint32 {
	word, shift, slot := c.slot(hash)
	n := word.Load() >> shift & fullSlot
	if n == fullSlot {
		n += c.over[slot&(1<<overBits-1)].Load()
	}
	return n
}

// reselect clears the selection. Afterwards mark marks selected pieces.
func (c *corpusCounts) reselect() { c.selected = make([]atomic.Uint64, len(c.few)/8) }

func (c *corpusCounts) bit(hash uint64) (*atomic.Uint64, uint64) {
	at := hash >> 32 * uint64(64*len(c.selected)) >> 32
	return &c.selected[at/64], 1 << (at % 64)
}

// mark records that a text has selected a piece.
func (c *corpusCounts) mark(hash uint64) {
	word, bit := c.bit(hash)
	if word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// wanted reports whether some text may have selected a piece.
func (c *corpusCounts) wanted(hash uint64) bool {
	if c.selected == nil {
		return true
	}
	word, bit := c.bit(hash)
	return word.Load()&bit != 0
}
