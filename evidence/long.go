package evidence

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/neardup/neardup/feature"
)

// LongView is a long text prepared for comparison. It holds the hashes and offsets of the coarse words, which are the units
// of its shingles. Only the parts in which two texts differ are cut into tokens.
type LongView struct {
	*Outline
	clean  string
	hashes []uint32
	starts []uint32
}

// Outline holds counts of the coarse words of a long text. It is a fiftieth of the size of the view, and rules out most pairs.
type Outline struct {
	words  int
	counts []wordCounts // its length is a power of two
}

// Bytes returns the memory of the outline.
func (o *Outline) Bytes() int { return 48 + 16*len(o.counts) }

// wordCounts counts words modulo 4 in 64 classes of hashes. It holds the low bits of all counts, and the high bits.
type wordCounts struct{ low, high uint64 }

// add adds counts.
func (c wordCounts) add(o wordCounts) wordCounts {
	return wordCounts{c.low ^ o.low, c.high ^ o.high ^ c.low&o.low}
}

// apart returns a lower bound of the difference of the counts.
func (c wordCounts) apart(o wordCounts) int {
	odd := c.low ^ o.low
	two := (c.high ^ o.high ^ o.low&^c.low) &^ odd
	return bits.OnesCount64(odd) + 2*bits.OnesCount64(two)
}

// Bytes returns the memory of the view.
func (v *LongView) Bytes() int { return 104 + len(v.clean) + 8*len(v.hashes) + v.Outline.Bytes() }

// Len returns the number of coarse words.
func (v *LongView) Len() int { return len(v.hashes) }

// NewLongView makes the view of a clean text. O(len(clean)).
func NewLongView(clean string) *LongView {
	hashes, starts := feature.Units(clean, feature.Scripts)
	return NewLongViewOf(clean, hashes, starts)
}

// NewLongViewOf makes the view of a clean text from its [feature.Units] by [feature.Scripts].
func NewLongViewOf(clean string, hashes, starts []uint32) *LongView {
	return &LongView{NewOutline(hashes), clean, hashes, starts}
}

// NewOutline makes the outline of a text from its [feature.Units] by [feature.Scripts].
func NewOutline(hashes []uint32) *Outline {
	o := &Outline{len(hashes), make([]wordCounts, 1<<max(0, bits.Len(uint(len(hashes)))-6))}
	mask := len(o.counts) - 1
	for _, h := range hashes {
		class := bits.Reverse32(h * spread)
		at := &o.counts[int(class>>6)&mask]
		*at = at.add(wordCounts{low: 1 << (class & 63)})
	}
	return o
}

// MostResemblance returns an upper bound of the Resemblance of two texts. It is a hundred times as fast. Words that share a
// counter in Resemblance share one here as well.
func MostResemblance(a, b *Outline) float64 {
	x, y := a.counts, b.counts
	if len(x) > len(y) {
		x, y = y, x
	}
	apart := 0
	for i, c := range x {
		d := y[i]
		for i += len(x); i < len(y); i += len(x) {
			d = d.add(y[i])
		}
		apart += c.apart(d)
	}
	words := a.words + b.words
	shared := min(a.words, b.words, (words-apart)/2)
	return float64(shared) / float64(max(1, words-shared))
}

// spread distributes the hashes of words over a table.
const spread = 2654435769

// Resemblance returns the Jaccard similarity of two texts as bags of coarse words. It has at least 8 counters per word, and
// words may share a counter. So the result may be slightly too high, but never too low. O(words).
func (s *Scorer) Resemblance(a, b *LongView) float64 {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	logSize := 3 + bits.Len(uint(max(len(a.hashes), len(b.hashes))))
	w.counts = slices.Grow(w.counts[:0], 1<<logSize)[:1<<logSize]
	clear(w.counts)
	for _, h := range a.hashes {
		w.counts[h*spread>>(32-logSize)]++
	}
	shared := 0
	for _, h := range b.hashes {
		if n := &w.counts[h*spread>>(32-logSize)]; *n > 0 {
			*n--
			shared++
		}
	}
	return float64(shared) / float64(max(1, len(a.hashes)+len(b.hashes)-shared))
}

// marginRunes is the number of characters on each side of a difference that are cut along with it, in scripts without
// spaces. So words are cut as in the whole text.
const marginRunes = 4

// widen extends each hunk by the adjacent characters and parts of words, and joins hunks that then touch.
func widen(hunks []hunk, a, b *LongView) []hunk {
	out := hunks[:0]
	for _, s := range hunks {
		for k := 0; k < marginRunes && s.a0 > 0 && s.b0 > 0 && (glued(a, s.a0) || glued(b, s.b0)); k++ {
			s.a0--
			s.b0--
		}
		for k := 0; k < marginRunes && s.a1 < len(a.starts) && s.b1 < len(b.starts) && (glued(a, s.a1) || glued(b, s.b1)); k++ {
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

// glued reports whether coarse word i and the previous one may be parts of one word or number, because no white space
// separates them.
func glued(v *LongView, i int) bool {
	if i == 0 || i >= len(v.starts) {
		return false
	}
	if v.clean[v.starts[i]-1] == ' ' { // the most frequent case
		return false
	}
	gap := v.clean[v.starts[i-1]:v.starts[i]]
	return !strings.ContainsAny(gap, " \n\t,;!?。，；！？、") || (strings.Contains(gap, ",") && !strings.Contains(gap, " "))
}

// slice returns the text of the coarse words [from, to).
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
