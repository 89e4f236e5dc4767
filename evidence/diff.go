package evidence

import (
	"cmp"
	"math/bits"
	"slices"
)

// span is a place in which two texts differ, in coarse words.
type span struct{ a0, a1, b0, b1 int }

// differ finds where two rows of hashes differ. It skips what is equal at both ends, and then follows a
// shortest path of insertions and deletions (Myers 1986). If that path is long, it first divides the rows at
// runs of words that occur once in each (patience). A part that is still too large becomes one place. It keeps
// its memory. Near-linear.
type differ struct {
	spans []span
	ends  []int32 // how far each diagonal got, for each number of edits: a triangle
	steps []step
	// of edits:
	shared [2]row
	seen   []uint64 // bits of words
	// of anchored:
	runs    table
	sampled []run // of the first text
	anchors []anchor
	tails   []int32
}

// step is a run of equal words.
type step struct{ a, b, n int }

// run is a run of words: its hash, and where it is, in the text or in a table.
type run struct {
	hash uint64
	at   int32
}

// anchor is a run of words in both texts. before is the previous anchor in the longest row that ends with it.
type anchor struct{ a, b, before int32 }

// Runs of anchorWords words are anchors. Paths have at most mostEdits edits; after fewEdits, words are left out.
const (
	anchorWords = 4
	wantAnchors = 1024
	mostEdits   = 160
	fewEdits    = 12
)

// Diff calls place with each place in which two rows of words differ, in order: a[a0:a1] replaces b[b0:b1].
func Diff(a, b []uint32, place func(a0, a1, b0, b1 int)) {
	for _, s := range new(differ).diff(a, b) {
		place(s.a0, s.a1, s.b0, s.b1)
	}
}

func (d *differ) diff(a, b []uint32) []span {
	d.spans = d.spans[:0]
	d.between(a, b, 0, len(a), 0, len(b), true)
	return d.spans
}

func (d *differ) put(a0, a1, b0, b1 int) {
	if a0 < a1 || b0 < b1 {
		d.spans = append(d.spans, span{a0, a1, b0, b1})
	}
}

func (d *differ) between(a, b []uint32, a0, a1, b0, b1 int, anchors bool) {
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
		d.put(a0, a1, b0, b1)
	case d.edits(a[a0:a1], b[b0:b1], a0, b0):
	case anchors:
		d.anchored(a, b, a0, a1, b0, b1)
	default:
		d.put(a0, a1, b0, b1)
	}
}

// anchored divides a place at runs of words that occur once in each text.
func (d *differ) anchored(a, b []uint32, a0, a1, b0, b1 int) {
	d.once(a[a0:a1], b[b0:b1])
	// The longest row of anchors that rises in both.
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
	for k, i := len(tails)-1, int32(-1); k >= 0; k-- { // from now on tails are the row itself
		if i < 0 {
			i = tails[k]
		}
		tails[k], i = i, pairs[i].before
	}
	fromA, fromB := a0, b0
	for _, i := range tails {
		atA, atB := a0+int(pairs[i].a), b0+int(pairs[i].b)
		if atA < fromA || atB < fromB { // within the run of the anchor before
			continue
		}
		d.between(a, b, fromA, atA, fromB, atB, false)
		fromA, fromB = atA+anchorWords, atB+anchorWords
	}
	d.between(a, b, fromA, a1, fromB, b1, false)
}

// once finds the runs of words that occur once in x and once in y, by their place in x. For long rows it takes
// a sample of them by hash, about wantAnchors.
func (d *differ) once(x, y []uint32) {
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

// edits records the places of a shortest path from x to y, which begin at a0 and b0. It reports whether there
// is one of few edits.
//
// It takes the shortest path of Myers' greedy search. Going back from the end, that path prefers an insertion,
// then a deletion, then a common word, as long as it stays shortest. A word that the other row lacks is in no
// common subsequence. So it is an edit, and the path through the remaining words is the same without it.
func (d *differ) edits(x, y []uint32, a0, b0 int) bool {
	if max(len(x), len(y))-min(len(x), len(y)) > mostEdits {
		return false
	}
	i, j := a0, b0
	equal := func(atA, atB, n int) {
		d.put(i, atA, j, atB)
		i, j = atA+n, atB+n
	}
	if n, found := d.within(x, y, fewEdits); found {
		d.walk(n, len(x), len(y))
		for _, e := range slices.Backward(d.steps) {
			if e.n > 0 {
				equal(a0+e.a, b0+e.b, e.n)
			}
		}
		equal(a0+len(x), b0+len(y), 0)
		return true
	}
	d.shared[0].keep(x, y, &d.seen)
	d.shared[1].keep(y, x, &d.seen)
	p, q := &d.shared[0], &d.shared[1]
	n, found := d.within(p.words, q.words, mostEdits-(len(x)-len(p.words))-(len(y)-len(q.words)))
	if !found {
		return false
	}
	d.walk(n, len(p.words), len(q.words))
	for _, e := range slices.Backward(d.steps) {
		for k := range e.n {
			equal(a0+int(p.at[e.a+k]), b0+int(q.at[e.b+k]), 1)
		}
	}
	equal(a0+len(x), b0+len(y), 0)
	return true
}

// row is the rest of a row of words, with their places in it.
type row struct {
	words []uint32
	at    []int32
}

// keep keeps the words of x that y has, and maybe some others.
func (r *row) keep(x, y []uint32, seen *[]uint64) {
	r.words, r.at = r.words[:0], r.at[:0]
	log := max(6, bits.Len(uint(len(y))*32))
	set := slices.Grow((*seen)[:0], 1<<log/64)[:1<<log/64]
	clear(set)
	*seen = set
	for _, w := range y {
		at := w * 2654435769 >> (32 - log)
		set[at/64] |= 1 << (at % 64)
	}
	for i, w := range x {
		if at := w * 2654435769 >> (32 - log); set[at/64]>>(at%64)&1 != 0 {
			r.words, r.at = append(r.words, w), append(r.at, int32(i))
		}
	}
}

// nowhere is how far a diagonal got that leaves a row.
const nowhere = -2

// within finds how many edits a shortest way has, at most most. Of each number of edits n ends has a row of
// how far each diagonal got: -n, -n+2 and so on to n.
func (d *differ) within(x, y []uint32, most int) (n int, found bool) {
	if max(len(x), len(y))-min(len(x), len(y)) > most {
		return 0, false
	}
	d.ends = d.ends[:0]
	for n := 0; n <= most; n++ {
		d.ends = slices.Grow(d.ends, n+1)
		last, row := d.ends[len(d.ends)-n:], d.ends[len(d.ends):len(d.ends)+n+1]
		d.ends = d.ends[:len(d.ends)+n+1]
		for c := range row {
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
				row[c] = nowhere
				continue
			}
			for i < len(x) && j < len(y) && x[i] == y[j] {
				i++
				j++
			}
			row[c] = int32(i)
			if i == len(x) && j == len(y) {
				return n, true
			}
		}
	}
	return 0, false
}

// walk follows a path of n edits backwards from i and j, and records its runs of equal words.
func (d *differ) walk(n, i, j int) {
	d.steps = d.steps[:0]
	for ; n > 0; n-- {
		last, k := d.ends[n*(n-1)/2:][:n], i-j
		c := (k + n) / 2
		from, fromI := k+1, 0
		if c < n {
			fromI = int(last[c])
		}
		start := fromI // where the run of equal words begins, after the edit
		if c == n || (c > 0 && last[c-1] >= last[c]) {
			from, fromI = k-1, int(last[c-1])
			start = fromI + 1
		}
		d.steps = append(d.steps, step{start, start - k, i - start})
		i, j = fromI, fromI-from
	}
	d.steps = append(d.steps, step{0, 0, i})
}
