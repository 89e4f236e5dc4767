package evidence

import (
	"cmp"
	"math/bits"
	"slices"
)

// hunk is a difference of two texts. It replaces the words [a0, a1) of the first by the words [b0, b1) of the second.
type hunk struct{ a0, a1, b0, b1 int }

// differ finds where two sequences of hashes differ. It skips the equal parts at both ends, then follows a shortest path of
// insertions and deletions (Myers 1986). If that path is long, it first divides the sequences at runs of words that occur once
// in each (patience). A part that is still too large becomes one hunk. It reuses its memory, and takes near-linear time.
type differ struct {
	diffs []hunk
	ends  []int32 // a triangle: for each number of edits, how far each diagonal got
	steps []step
	// Used by addShortestPath.
	shared [2]common
	seen   []uint64 // a bit set of words
	// Used by divideAtAnchors.
	runs    hashTable
	sampled []run // runs of the first text
	anchors []anchor
	tails   []int32
}

// step is a run of equal words.
type step struct{ a, b, n int }

// run is a run of words, with its hash and its index in the text or in a table.
type run struct {
	hash uint64
	at   int32
}

// anchor is a run of words in both texts. before is the previous anchor of the longest chain that ends with it.
type anchor struct{ a, b, before int32 }

// Runs of anchorWords words are anchors. Paths have at most mostEdits edits. From fewEdits on, words that only one text has
// are left out.
const (
	anchorWords = 4
	wantAnchors = 1024
	mostEdits   = 160
	fewEdits    = 12
)

// Diff calls emit with each difference of two sequences of words, in order. In a difference, b[b0:b1] replaces a[a0:a1].
func Diff(a, b []uint32, emit func(a0, a1, b0, b1 int)) {
	for _, s := range new(differ).diff(a, b) {
		emit(s.a0, s.a1, s.b0, s.b1)
	}
}

func (d *differ) diff(a, b []uint32) []hunk {
	d.diffs = d.diffs[:0]
	d.divide(a, b, 0, len(a), 0, len(b), true)
	return d.diffs
}

func (d *differ) add(a0, a1, b0, b1 int) {
	if a0 < a1 || b0 < b1 {
		d.diffs = append(d.diffs, hunk{a0, a1, b0, b1})
	}
}

func (d *differ) divide(a, b []uint32, a0, a1, b0, b1 int, anchors bool) {
	for a0 < a1 && b0 < b1 && a[a0] == b[b0] {
		a0++
		b0++
	}
	for a0 < a1 && b0 < b1 && a[a1-1] == b[b1-1] {
		a1--
		b1--
	}
	switch {
	case a0 == a1 || b0 == b1:
		d.add(a0, a1, b0, b1)
	case d.addShortestPath(a[a0:a1], b[b0:b1], a0, b0):
	case anchors:
		d.divideAtAnchors(a, b, a0, a1, b0, b1)
	default:
		d.add(a0, a1, b0, b1)
	}
}

// divideAtAnchors divides a part at runs of words that occur once in each text.
func (d *differ) divideAtAnchors(a, b []uint32, a0, a1, b0, b1 int) {
	d.findAnchors(a[a0:a1], b[b0:b1])
	// Find the longest chain of anchors that ascends in both texts.
	pairs, tails := d.anchors, d.tails[:0]
	for i := range pairs {
		k := len(tails)
		if k > 0 && pairs[tails[k-1]].b > pairs[i].b {
			k, _ = slices.BinarySearchFunc(tails, pairs[i].b, func(t, b int32) int { return cmp.Compare(pairs[t].b, b) })
		}
		if k > 0 {
			pairs[i].before = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, int32(i))
		} else {
			tails[k] = int32(i)
		}
	}
	d.tails = tails
	for k, i := len(tails)-1, int32(-1); k >= 0; k-- { // from here on, tails holds the chain itself
		if i < 0 {
			i = tails[k]
		}
		tails[k], i = i, pairs[i].before
	}
	fromA, fromB := a0, b0
	for _, i := range tails {
		atA, atB := a0+int(pairs[i].a), b0+int(pairs[i].b)
		if atA < fromA || atB < fromB { // it overlaps the previous anchor
			continue
		}
		d.divide(a, b, fromA, atA, fromB, atB, false)
		fromA, fromB = atA+anchorWords, atB+anchorWords
	}
	d.divide(a, b, fromA, a1, fromB, b1, false)
}

// findAnchors finds the runs of words that occur once in x and once in y, in the order of x. From long sequences it samples
// about wantAnchors runs by hash.
func (d *differ) findAnchors(x, y []uint32) {
	const twice = -1
	most := ^uint64(0) >> bits.Len(uint(min(len(x), len(y))/wantAnchors))
	d.sampled = d.sampled[:0]
	for i := 0; i+anchorWords <= len(x); i++ {
		if h := runHash(x[i:]); h <= most {
			d.sampled = append(d.sampled, run{h, int32(i)})
		}
	}
	d.runs.reset(len(d.sampled))
	for i := range d.sampled {
		r := &d.sampled[i]
		e, at := d.runs.at(r.hash)
		if e.a == 0 {
			e.a = r.at + 1
		} else {
			e.a = twice
		}
		r.at = at
	}
	for i := 0; i+anchorWords <= len(y); i++ {
		h := runHash(y[i:])
		if h > most {
			continue
		}
		switch e := d.runs.find(h); {
		case e == nil:
		case e.b == 0:
			e.b = int32(i) + 1
		default:
			e.b = twice
		}
	}
	d.anchors = d.anchors[:0]
	for _, r := range d.sampled {
		e := &d.runs.entries[r.at]
		if e.a <= 0 || e.b <= 0 {
			continue
		}
		if slices.Equal(x[e.a-1:][:anchorWords], y[e.b-1:][:anchorWords]) {
			d.anchors = append(d.anchors, anchor{e.a - 1, e.b - 1, -1})
		}
	}
}

func runHash(words []uint32) uint64 {
	a, b := uint64(words[0])<<32|uint64(words[1]), uint64(words[2])<<32|uint64(words[3])
	a *= 0x9e3779b97f4a7c15
	return (a ^ a>>29 ^ b) * 0xd6e8feb86659fd93
}

// addShortestPath adds the hunks of a shortest path from x to y, which begin at a0 and b0. It reports whether a
// path of at most mostEdits edits exists.
//
// It takes the shortest path of Myers' greedy search. Going back from the end, that path prefers an insertion,
// then a deletion, then a common word, as long as it stays shortest. A word that the other text lacks is in no
// common subsequence. So it is an edit, and the path through the remaining words is the same without it.
func (d *differ) addShortestPath(x, y []uint32, a0, b0 int) bool {
	if max(len(x), len(y))-min(len(x), len(y)) > mostEdits {
		return false
	}
	i, j := a0, b0
	equal := func(atA, atB, n int) {
		d.add(i, atA, j, atB)
		i, j = atA+n, atB+n
	}
	if n, found := d.countEdits(x, y, fewEdits); found {
		d.traceBack(n, len(x), len(y))
		for _, e := range slices.Backward(d.steps) {
			if e.n > 0 {
				equal(a0+e.a, b0+e.b, e.n)
			}
		}
		equal(a0+len(x), b0+len(y), 0)
		return true
	}
	d.shared[0].fill(x, y, &d.seen)
	d.shared[1].fill(y, x, &d.seen)
	p, q := &d.shared[0], &d.shared[1]
	n, found := d.countEdits(p.words, q.words, mostEdits-(len(x)-len(p.words))-(len(y)-len(q.words)))
	if !found {
		return false
	}
	d.traceBack(n, len(p.words), len(q.words))
	for _, e := range slices.Backward(d.steps) {
		for k := range e.n {
			equal(a0+int(p.at[e.a+k]), b0+int(q.at[e.b+k]), 1)
		}
	}
	equal(a0+len(x), b0+len(y), 0)
	return true
}

// common holds the words of a text that the other text also has, with their indexes.
type common struct {
	words []uint32
	at    []int32
}

// fill collects the words of x that y has. A collision of hashes can add others.
func (r *common) fill(x, y []uint32, seen *[]uint64) {
	r.words, r.at = r.words[:0], r.at[:0]
	logSize := max(6, bits.Len(uint(len(y))*32))
	set := slices.Grow((*seen)[:0], 1<<logSize/64)[:1<<logSize/64]
	clear(set)
	*seen = set
	for _, w := range y {
		at := w * 2654435769 >> (32 - logSize)
		set[at/64] |= 1 << (at % 64)
	}
	for i, w := range x {
		if at := w * 2654435769 >> (32 - logSize); set[at/64]>>(at%64)&1 != 0 {
			r.words, r.at = append(r.words, w), append(r.at, int32(i))
		}
	}
}

// nowhere marks a diagonal that has left one of the texts.
const nowhere = -2

// countEdits returns the number of edits of a shortest path, unless it exceeds most. For each number of edits n, ends
// records how far the diagonals -n, -n+2 and so on to n got.
func (d *differ) countEdits(x, y []uint32, most int) (n int, found bool) {
	if max(len(x), len(y))-min(len(x), len(y)) > most {
		return 0, false
	}
	d.ends = d.ends[:0]
	for n := 0; n <= most; n++ {
		d.ends = slices.Grow(d.ends, n+1)
		last, current := d.ends[len(d.ends)-n:], d.ends[len(d.ends):len(d.ends)+n+1]
		d.ends = d.ends[:len(d.ends)+n+1]
		for c := range current {
			i := 0
			switch {
			case n == 0:
			case c == 0:
				i = int(last[0])
			case c == n:
				i = int(last[c-1]) + 1
			default:
				i = int(max(last[c-1]+1, last[c]))
			}
			j := i - 2*c + n
			if i < 0 || i > len(x) || j > len(y) {
				current[c] = nowhere
				continue
			}
			for i < len(x) && j < len(y) && x[i] == y[j] {
				i++
				j++
			}
			current[c] = int32(i)
			if i == len(x) && j == len(y) {
				return n, true
			}
		}
	}
	return 0, false
}

// traceBack follows a path of n edits backwards from i and j, and records its runs of equal words.
func (d *differ) traceBack(n, i, j int) {
	d.steps = d.steps[:0]
	for ; n > 0; n-- {
		last, k := d.ends[n*(n-1)/2:][:n], i-j
		c := (k + n) / 2
		from, fromI := k+1, 0
		if c < n {
			fromI = int(last[c])
		}
		start := fromI // start of the run of equal words after the edit
		if c == n || (c > 0 && last[c-1] >= last[c]) {
			from, fromI = k-1, int(last[c-1])
			start = fromI + 1
		}
		d.steps = append(d.steps, step{start, start - k, i - start})
		i, j = fromI, fromI-from
	}
	d.steps = append(d.steps, step{0, 0, i})
}
