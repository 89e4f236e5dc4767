package ngram

import "math/bits"

// distance returns the Levenshtein distance of a and b in runes if it is at most limit, otherwise limit+1. It first trims
// common ends. The rest is computed bit-parallel, 64 rows at a time, and only inside the band |i-j| <= limit (Myers, JACM
// 1999; blocks after Hyyrö 2003; band after Ukkonen 1985). O(len(a)+len(b)) for texts that are equal at both ends,
// otherwise O(len(b) * min(len(a), 2*limit) / 64).
func distance(a, b []rune, limit int, w *workspace) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > limit {
		return limit + 1
	}
	a, b = trim(a, b)
	switch {
	case len(a) == 0:
		return len(b)
	case limit == 0:
		return 1
	case len(a) <= 64:
		return shortDistance(a, b, limit, w)
	}
	return longDistance(a, b, limit, w)
}

// trim removes the common parts at both ends, which never changes the distance.
func trim(a, b []rune) ([]rune, []rune) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// shortDistance runs Myers' algorithm on one word, so the pattern a has at most 64 runes. A column lowers the score by at
// most one, so it stops when the remaining columns cannot bring the score back to the limit.
func shortDistance(a, b []rune, limit int, w *workspace) int {
	w.indexWord(a)
	last := uint(len(a) - 1)
	score := len(a)
	pv, mv := ^uint64(0), uint64(0)
	for j, r := range b {
		eq := w.word(r)
		xv := eq | mv
		xh := (((eq & pv) + pv) ^ pv) | eq
		ph := mv | ^(xh | pv)
		mh := pv & xh
		score += int(ph>>last&1) - int(mh>>last&1)
		if score-(len(b)-1-j) > limit {
			return limit + 1
		}
		ph = ph<<1 | 1
		mh <<= 1
		pv = mh | ^(xv | ph)
		mv = ph & xv
	}
	return score
}

// block is one word of rows in a column. It holds the vertical differences, and the score at its last row.
type block struct {
	pv, mv uint64
	score  int
}

// step advances the block by one column. eq marks the rows equal to the column's rune, and in is the horizontal difference
// above the block. It returns the difference at its last row.
func (k *block) step(eq uint64, in int) int {
	xv := eq | k.mv
	if in < 0 {
		eq |= 1
	}
	xh := (((eq & k.pv) + k.pv) ^ k.pv) | eq
	ph := k.mv | ^(xh | k.pv)
	mh := k.pv & xh
	out := int(ph>>63) - int(mh>>63)
	ph <<= 1
	mh <<= 1
	switch {
	case in < 0:
		mh |= 1
	case in > 0:
		ph |= 1
	}
	k.pv = mh | ^(xv | ph)
	k.mv = ph & xv
	k.score += out
	return out
}

// longDistance runs the blocks of the band column by column. A block that enters from below starts one higher on each row
// than the block above it. Above the band every step counts one more. Both are upper bounds that no path of at most limit
// edits can reach, so the score of such a path stays exact.
func longDistance(a, b []rune, limit int, w *workspace) int {
	w.indexBlocks(a)
	blocks := w.blocks
	top, next := 0, 0 // blocks top to next-1 are inside the band
	for j, r := range b {
		for next < len(blocks) && next*64 <= j+limit {
			above := j
			if next > 0 {
				above = blocks[next-1].score
			}
			blocks[next] = block{pv: ^uint64(0), score: above + 64}
			next++
		}
		for top < next-1 && (top+1)*64 <= j-limit {
			top++
		}
		eq := w.row(r)
		in := 1
		for k := top; k < next; k++ {
			in = blocks[k].step(eq[k], in)
		}
		if j&63 == 63 && hopeless(blocks[top:next], limit) {
			return limit + 1
		}
	}
	return min(blocks[len(blocks)-1].scoreAt((len(a)-1)&63), limit+1)
}

// hopeless reports whether no row of a column is within the limit. The least score never decreases from one column to the
// next, so the last column cannot be within the limit either.
func hopeless(column []block, limit int) bool {
	for i := range column {
		if column[i].score-bits.OnesCount64(column[i].pv) <= limit {
			return false
		}
	}
	return true
}

// scoreAt returns the score at a row of the block, 0..63.
func (k *block) scoreAt(row int) int {
	below := ^uint64(0) << uint(row) << 1
	return k.score - bits.OnesCount64(k.pv&below) + bits.OnesCount64(k.mv&below)
}
