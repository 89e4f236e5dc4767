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
	clean  string
	hashes []uint32
	starts []uint32
}

// Bytes returns the memory of the view.
func (v *LongView) Bytes() int { return 96 + len(v.clean) + 8*len(v.hashes) }

// Len returns the number of coarse words.
func (v *LongView) Len() int { return len(v.hashes) }

// NewLongView makes the view of a clean text. O(len(clean)).
func NewLongView(clean string) *LongView {
	hashes, starts := feature.Units(clean, feature.Scripts)
	return NewLongViewOf(clean, hashes, starts)
}

// NewLongViewOf makes the view of a clean text from its [feature.Units] by [feature.Scripts].
func NewLongViewOf(clean string, hashes, starts []uint32) *LongView {
	return &LongView{clean, hashes, starts}
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
