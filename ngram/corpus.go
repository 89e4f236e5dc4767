package ngram

import (
	"math/bits"
	"sync/atomic"
)

// corpusCounts holds what the scheme of pieces.go needs to know about the corpus being joined. It counts each
// substring and, after a second pass, marks the selected ones. Substrings that share a slot share their count,
// which costs work but never a pair.
type corpusCounts struct {
	// few counts up to 255, four slots in a word. over counts the excess, in fewer slots, so that the sums do
	// not depend on the order.
	few  []atomic.Uint32
	over []atomic.Uint32
	// selected has a bit for each selected piece; nil before the second pass.
	selected []atomic.Uint64
}

const (
	fullSlot = 255
	overBits = 18
	// Slots of a byte for a substring, and bits for a selected one, from
	// the memory allowed: a table grows with it between these sizes.
	leastSlotBits, mostSlotBits = 20, 27
)

// newCorpusCounts takes at most memory bytes, but at least 2.3 MB.
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

// count returns how often a substring occurs, at the least estimate that is
// never too low: 1 proves that no other text of the corpus has it.
func (c *corpusCounts) count(hash uint64) uint32 {
	word, shift, slot := c.slot(hash)
	n := word.Load() >> shift & fullSlot
	if n == fullSlot {
		n += c.over[slot&(1<<overBits-1)].Load()
	}
	return n
}

// reselect forgets what was selected; from now on mark counts.
func (c *corpusCounts) reselect() { c.selected = make([]atomic.Uint64, len(c.few)/8) }

func (c *corpusCounts) bit(hash uint64) (*atomic.Uint64, uint64) {
	at := hash >> 32 * uint64(64*len(c.selected)) >> 32
	return &c.selected[at/64], 1 << (at % 64)
}

// mark notes that a text has selected a piece.
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
