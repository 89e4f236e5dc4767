package evidence

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// LongView is a long text as it is compared: its coarse words, each a run of
// letters and digits or one character of a script without spaces, by hash and
// place. Only where two texts differ are they cut into tokens.
type LongView struct {
	clean  string
	hashes []uint32
	starts []uint32
	title  int // how many of them make titleWords words
}

// Bytes is the memory of the view.
func (v *LongView) Bytes() int { return 96 + len(v.clean) + 8*len(v.hashes) }

// NewLongView makes the view of a clean text. O(len(clean)).
func NewLongView(clean string) *LongView {
	v := &LongView{clean: clean}
	n := len(clean)/6 + 16
	v.hashes, v.starts = make([]uint32, 0, n), make([]uint32, 0, n)
	for at := 0; at < len(clean); {
		b := clean[at]
		if b < utf8.RuneSelf {
			if !asciiWord[b] {
				at++
				continue
			}
			end, h := at, uint32(2166136261)
			for end < len(clean) && clean[end] < utf8.RuneSelf && asciiWord[clean[end]] {
				h = (h ^ uint32(clean[end])) * 16777619
				end++
			}
			if end < len(clean) && clean[end] >= utf8.RuneSelf {
				end, h = letters(clean, end, h)
			}
			v.put(h, at)
			at = end
			continue
		}
		r, size := utf8.DecodeRuneInString(clean[at:])
		switch {
		case text.IsCJK(r) || text.IsUnspaced(r):
			v.put(uint32(r)*2654435761, at)
			at += size
		case text.IsAlnum(r):
			end, h := letters(clean, at, 2166136261)
			v.put(h, at)
			at = end
		default:
			at += size
		}
	}
	for left := 2 * titleWords; v.title < len(v.hashes) && left > 0; v.title++ {
		if left--; v.clean[v.starts[v.title]] < utf8.RuneSelf { // of a script without spaces two characters are about a word
			left--
		}
	}
	return v
}

// letters goes on with a word that has letters beyond ASCII.
func letters(clean string, at int, h uint32) (int, uint32) {
	for at < len(clean) {
		r, size := utf8.DecodeRuneInString(clean[at:])
		if !text.IsAlnum(r) && !text.IsMark(r) || text.IsCJK(r) || text.IsUnspaced(r) {
			break
		}
		h = (h ^ uint32(r)) * 16777619
		at += size
	}
	return at, h
}

func (v *LongView) put(h uint32, at int) {
	v.hashes = append(v.hashes, h)
	v.starts = append(v.starts, uint32(at))
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = text.IsAlnum(rune(c))
	}
	return t
}()

// span is a place in which two texts differ, in coarse words.
type span struct{ a0, a1, b0, b1 int }

// differ finds where two rows of hashes differ: what is equal at both ends
// first, then by a shortest way of insertions and deletions (Myers 1986), where it is short.
// Where it is long, the rows are divided at runs of words that stand once in each
// (patience) before. What is too much is a place as it is. It keeps its memory. Near-linear.
type differ struct {
	spans []span
	ends  []int32 // how far each diagonal got, for each number of edits
	steps []step
	// of lackBoth:
	lacking [2][]int32
	seen    []uint64 // bits of words
	// of anchored:
	runs    table
	entries []int32 // in runs, of each word of the first text
	anchors []anchor
	tails   []int32
}

// step is a run of equal words.
type step struct{ a, b, n int }

// anchor is where a run of words lies in both texts; before is the one before it in
// the longest row that ends with it.
type anchor struct{ a, b, before int32 }

// runs of so many words are anchors; so many edits are followed.
const (
	anchorWords = 4
	mostEdits   = 160
)

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

// anchored divides a place at runs of words that stand once in each text.
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

// once finds the runs of words that stand once in x and once in y, by their place in x.
func (d *differ) once(x, y []uint32) {
	const twice = -1
	d.anchors, d.entries = d.anchors[:0], d.entries[:0]
	d.runs.reset(len(x))
	for i := 0; i+anchorWords <= len(x); i++ {
		e, at := d.runs.at(runHash(x[i:]))
		if e.a == 0 {
			e.a = int32(i) + 1
		} else {
			e.a = twice
		}
		d.entries = append(d.entries, at)
	}
	for i := 0; i+anchorWords <= len(y); i++ {
		switch e := d.runs.find(runHash(y[i:])); {
		case e == nil:
		case e.b == 0:
			e.b = int32(i) + 1
		default:
			e.b = twice
		}
	}
	for i, at := range d.entries {
		if e := &d.runs.entries[at]; e.a > 0 && e.b > 0 && slices.Equal(x[i:i+anchorWords], y[e.b-1:][:anchorWords]) {
			d.anchors = append(d.anchors, anchor{int32(i), e.b - 1, -1})
		}
	}
}

func runHash(words []uint32) uint64 {
	a, b := uint64(words[0])<<32|uint64(words[1]), uint64(words[2])<<32|uint64(words[3])
	a *= 0x9e3779b97f4a7c15
	return (a ^ a>>29 ^ b) * 0xd6e8feb86659fd93
}

// edits puts the places of a shortest way from x to y, which begin at a0 and b0, and
// reports whether there is one of few edits.
//
// Of all shortest ways it is the one of Myers' greedy search, of which only what can lie on a shortest
// way is looked at. A word that the other row lacks is an edit, so that a state's edits and those that
// are left at the least say whether it may be on a way of at most that many. The others are
// left out, which only takes away states that come as far; none on the way that the whole search finds
// is, so each of these stays the farthest of its diagonal, and the way the same.
func (d *differ) edits(x, y []uint32, a0, b0 int) bool {
	if max(len(x), len(y))-min(len(x), len(y)) > mostEdits {
		return false
	}
	d.lackBoth(x, y)
	apart := len(x) - len(y)
	least := max(2*int(d.lacking[0][0])-apart, 2*int(d.lacking[1][0])+apart)
	for spare := 4; least <= mostEdits; spare *= 4 {
		most := min(least+spare, mostEdits)
		if n, found := d.within(x, y, most); found {
			d.walk(x, y, n, a0, b0)
			return true
		}
		if most == mostEdits {
			break
		}
	}
	return false
}

// lackBoth counts, from each place on, the words of x that y lacks, and of y that x lacks, of
// which it may overlook some.
func (d *differ) lackBoth(x, y []uint32) {
	for side, list := range [2][]uint32{x, y} {
		other := [2][]uint32{y, x}[side]
		log := bits.Len(uint(len(other)) * 16)
		d.seen = slices.Grow(d.seen[:0], 1<<log/64+1)[:1<<log/64+1]
		clear(d.seen)
		for _, w := range other {
			at := w * 2654435769 >> (32 - log)
			d.seen[at/64] |= 1 << (at % 64)
		}
		n := len(list)
		d.lacking[side] = slices.Grow(d.lacking[side][:0], n+1)[:n+1]
		count := int32(0)
		d.lacking[side][n] = 0
		for i := n - 1; i >= 0; i-- {
			at := list[i] * 2654435769 >> (32 - log)
			if d.seen[at/64]>>(at%64)&1 == 0 {
				count++
			}
			d.lacking[side][i] = count
		}
	}
}

// Of each number of edits a row says how far each diagonal got, the diagonals from
// -mostEdits-2 on; one that is left out, or beside those that are looked at, is nowhere.
const (
	wide    = 2*mostEdits + 5
	middle  = mostEdits + 2
	nowhere = -2
)

// within finds how many edits a shortest way has, at most most. Where so many more deletions than
// insertions are left, all words of x that y lacks are deletions, and all of y that x lacks insertions.
func (d *differ) within(x, y []uint32, most int) (n int, found bool) {
	d.ends = slices.Grow(d.ends[:0], (mostEdits+1)*wide)[:(mostEdits+1)*wide]
	lo, hi, end := 0, 0, len(x)-len(y)
	lackX, lackY := d.lacking[0][:len(x)+1], d.lacking[1][:len(y)+1]
	for n := 0; n <= most && lo <= hi; n++ {
		row := d.ends[n*wide : (n+1)*wide]
		row[middle+lo-2], row[middle+hi+2] = nowhere, nowhere
		last := d.ends[max(n-1, 0)*wide:][:wide]
		for k := lo; k <= hi; k += 2 {
			i := 0
			if n > 0 {
				i = int(max(last[middle+k-1]+1, last[middle+k+1]))
			}
			j := i - k
			if i < 0 || i > len(x) || j > len(y) || 2*int(lackX[i]) > most-n+end-k || 2*int(lackY[j]) > most-n-end+k {
				row[middle+k] = nowhere
				continue
			}
			for i < len(x) && j < len(y) && x[i] == y[j] {
				i++
				j++
			}
			row[middle+k] = int32(i)
			if i == len(x) && j == len(y) {
				return n, true
			}
		}
		for lo <= hi && row[middle+lo] == nowhere {
			lo += 2
		}
		for lo <= hi && row[middle+hi] == nowhere {
			hi -= 2
		}
		lo, hi = lo-1, hi+1
	}
	return 0, false
}

// walk goes the way back and puts its places.
func (d *differ) walk(x, y []uint32, n, a0, b0 int) {
	d.steps = d.steps[:0]
	i, j := len(x), len(y)
	for ; n > 0; n-- {
		last, k := d.ends[(n-1)*wide:n*wide], i-j
		from := k - 1
		if last[middle+k-1] < last[middle+k+1] {
			from = k + 1
		}
		fromI := int(last[middle+from])
		start := fromI // where the run of equal words begins, behind the edit
		if from == k-1 {
			start++
		}
		d.steps = append(d.steps, step{start, start - k, i - start})
		i, j = fromI, fromI-from
	}
	d.steps = append(d.steps, step{0, 0, i})
	atA, atB := 0, 0
	for s := len(d.steps) - 1; s >= 0; s-- {
		if e := d.steps[s]; e.n > 0 {
			d.put(a0+atA, a0+e.a, b0+atB, b0+e.b)
			atA, atB = e.a+e.n, e.b+e.n
		}
	}
	d.put(a0+atA, a0+len(x), b0+atB, b0+len(y))
}

// around are how many characters of a script without spaces beside a difference
// are cut with it, so that words are cut as they are in the whole text.
const around = 4

// widen takes into each place the characters and the parts of words around it,
// and makes one of places that then meet.
func widen(spans []span, a, b *LongView) []span {
	out := spans[:0]
	for _, s := range spans {
		for k := 0; k < around && s.a0 > 0 && s.b0 > 0 && (glued(a, s.a0) || glued(b, s.b0)); k++ {
			s.a0--
			s.b0--
		}
		for k := 0; k < around && s.a1 < len(a.starts) && s.b1 < len(b.starts) && (glued(a, s.a1) || glued(b, s.b1)); k++ {
			s.a1++
			s.b1++
		}
		if n := len(out); n > 0 && (out[n-1].a1 >= s.a0 || out[n-1].b1 >= s.b0) {
			out[n-1].a1, out[n-1].b1 = max(out[n-1].a1, s.a1), max(out[n-1].b1, s.b1)
			continue
		}
		out = append(out, s)
	}
	return out
}

// glued reports whether the coarse word i and the one before it may be parts of
// one word or number: nothing white is between.
func glued(v *LongView, i int) bool {
	if i == 0 || i >= len(v.starts) {
		return false
	}
	if v.clean[v.starts[i]-1] == ' ' { // nearly always
		return false
	}
	gap := v.clean[v.starts[i-1]:v.starts[i]]
	return !strings.ContainsAny(gap, " \n\t,;!?。，；！？、") || strings.Contains(gap, ",") && !strings.Contains(gap, " ")
}

// slice is the text of a place.
func (v *LongView) slice(from, to int) string {
	if from >= to {
		return ""
	}
	end := len(v.clean)
	if to < len(v.starts) {
		end = int(v.starts[to])
	}
	return v.clean[v.starts[from]:end]
}
