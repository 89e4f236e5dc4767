package ngram

import (
	"math/bits"
	"sync"
)

// workspace holds the memory of one edit distance computation. For each rune of the pattern it stores the rows where the
// rune occurs. Runes are found by open addressing in a table at least twice as large as the pattern.
//
// In patterns of more than 64 runes, a rune has a bit set of its rows only if it occurs on more rows than there are words.
// At most 64 runes do. The rows of other runes form chains. So the memory is linear in the pattern, for any alphabet.
type workspace struct {
	runes  []rune   // the table; -1 means free
	slots  []uint64 // for each slot: the rows as bits, if the pattern has one word
	dense  []int32  // for each slot: first word in rows, or -1 for a chain
	last   []int32  // for each slot: last row of the rune
	count  []int32  // for each slot: number of rows
	before []int32  // for each row: the previous row with the same rune, or -1
	rows   []uint64
	sparse []uint64 // rows of the last used chain as bits
	marked int32    // last row of that chain, or -1
	blocks []block
	shift  uint
	words  int
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// table empties the table for n runes.
func (w *workspace) table(n int) {
	width := max(bits.Len(uint(2*n-1)), 4)
	w.shift = uint(64 - width)
	w.runes = grow(w.runes, 1<<width)
	for i := range w.runes {
		w.runes[i] = -1
	}
}

// find returns the slot of r, or the free slot where it belongs.
func (w *workspace) find(r rune) int {
	mask := len(w.runes) - 1
	at := int(uint64(uint32(r)) * 0x9e3779b97f4a7c15 >> w.shift)
	for w.runes[at] != r && w.runes[at] >= 0 {
		at = (at + 1) & mask
	}
	return at
}

// indexWord fills the table for a pattern of at most 64 runes.
func (w *workspace) indexWord(a []rune) {
	w.table(len(a))
	w.slots = grow(w.slots, len(w.runes))
	for i, r := range a {
		at := w.find(r)
		if w.runes[at] < 0 {
			w.runes[at], w.slots[at] = r, 0
		}
		w.slots[at] |= 1 << uint(i)
	}
}

// word returns the rows of r. indexWord must have been called.
func (w *workspace) word(r rune) uint64 {
	if at := w.find(r); w.runes[at] == r {
		return w.slots[at]
	}
	return 0
}

// indexBlocks fills the table for a longer pattern.
func (w *workspace) indexBlocks(a []rune) {
	w.table(len(a))
	w.words = (len(a) + 63) / 64
	w.dense = grow(w.dense, len(w.runes))
	w.last = grow(w.last, len(w.runes))
	w.count = grow(w.count, len(w.runes))
	w.before = grow(w.before, len(a))
	for i, r := range a {
		at := w.find(r)
		if w.runes[at] < 0 {
			w.runes[at], w.dense[at], w.last[at], w.count[at] = r, -1, -1, 0
		}
		w.before[i] = w.last[at]
		w.last[at] = int32(i)
		w.count[at]++
	}
	w.fillRows()
	w.sparse = grow(w.sparse, w.words)
	clear(w.sparse)
	w.marked = -1
	w.blocks = grow(w.blocks, w.words)
}

func (w *workspace) fillRows() {
	w.rows = w.rows[:0]
	for at, r := range w.runes {
		if r < 0 || int(w.count[at]) <= w.words {
			continue
		}
		first := len(w.rows)
		w.dense[at] = int32(first)
		w.rows = grow(w.rows, first+w.words)
		clear(w.rows[first:])
		for i := w.last[at]; i >= 0; i = w.before[i] {
			w.rows[first+int(i/64)] |= 1 << (uint(i) & 63)
		}
	}
}

// row returns the rows of r, one word per block. indexBlocks must have been called. The result is valid until the next
// call.
func (w *workspace) row(r rune) []uint64 {
	for i := w.marked; i >= 0; i = w.before[i] {
		w.sparse[i/64] = 0
	}
	w.marked = -1
	at := w.find(r)
	if w.runes[at] != r {
		return w.sparse
	}
	if first := w.dense[at]; first >= 0 {
		return w.rows[first:][:w.words]
	}
	w.marked = w.last[at]
	for i := w.marked; i >= 0; i = w.before[i] {
		w.sparse[i/64] |= 1 << (uint(i) & 63)
	}
	return w.sparse
}

// grow returns s with length n and keeps the elements that fit. New elements are undefined.
func grow[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	larger := make([]T, n, max(n, 2*cap(s)))
	copy(larger, s)
	return larger
}
