package methods

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// heldShingle is the unit that a leader must hold: pairs of words, or of runes in scripts without spaces. It
// does not depend on what the method compares.
var heldShingle = feature.Shingle{Unit: feature.Scripts, K: 2}

// Held returns the share of a clean text's distinct shingles (scripts:2) that another text also has, or 1 if it
// has none.
func Held(clean, by string) float64 {
	set, _ := setOf(heldShingle, clean, 0)
	others, _ := setOf(heldShingle, by, 0)
	return held(set, others)
}

func held(set, by []uint64) float64 {
	if len(set) == 0 {
		return 1
	}
	return float64(feature.IntersectSorted(set, by)) / float64(len(set))
}

// lossless wraps a method so that a text is removed only if the leader holds a share of its shingles, and is otherwise
// kept as an overlap.
type lossless struct{ decorator }

// newLossless wraps a method so that it loses nothing.
func newLossless(m neardup.Searchable, share float64) neardup.Method {
	return makeLossless(decorator{name: "lossless", share: share, shingle: heldShingle, keepText: true}, m)
}

func makeLossless(d decorator, of neardup.Searchable) neardup.Method {
	l := &lossless{d}
	l.Searchable, l.decorator.revise = of, l.revise
	l.wrap = func(m neardup.Searchable) neardup.Method { return makeLossless(d, m) }
	return l
}

// revise makes a near match an overlap if the leader does not hold the text, and names the longest passage that it lacks.
func (l *lossless) revise(m neardup.Match, a, b *decorated, explain bool) neardup.Match {
	if !m.Near || held(a.set, b.set) >= l.share {
		return m
	}
	m.Near, m.Variant, m.Overlap = false, true, true
	if explain {
		m.Evidence = append([]neardup.Conflict{{Kind: neardup.KindMore, A: lacking(a.clean, b.set)}}, m.Evidence...)
	}
	return m
}

// Template returns the template by the wrapped method. It differs for texts that differ in more than the digits of their
// numbers, because a leader may hold more of one of them than of another.
func (l *lossless) Template(v neardup.Prepared) (template uint64, fillers []uint64) {
	template, fillers = l.decorator.Template(v)
	if template != 0 {
		masked := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, v.(*decorated).clean)
		template ^= neardup.DigestOf(masked).Key()
	}
	return template, fillers
}

// mostLacking bounds the runes of a passage that is shown.
const mostLacking = 200

// lacking returns the longest passage of a clean text that shares no shingle with others.
func lacking(clean string, others []uint64) string {
	all := heldShingle.Append(nil, clean, 0)
	from, to := 0, 0 // shingles
	for i := 0; i < len(all); i++ {
		begun := i
		for i < len(all) && !isAmong(others, all[i]) {
			i++
		}
		if i-begun > to-from {
			from, to = begun, i
		}
	}
	// Shingle i covers the units i and i+1. The first and the last unit of the passage are also in shingles that the
	// leader holds, unless the text begins or ends there.
	first, last := from, to
	if from > 0 {
		first++
	}
	if to < len(all) {
		last--
	}
	if first > last { // two words that only are not adjacent
		first, last = from, to
	}
	passage := strings.TrimSpace(clean[unitAt(clean, first):unitAt(clean, last+1)])
	if utf8.RuneCountInString(passage) > mostLacking {
		passage = string([]rune(passage)[:mostLacking]) + "…"
	}
	return passage
}

func isAmong(set []uint64, h uint64) bool {
	_, found := slices.BinarySearch(set, h)
	return found
}

// unitAt returns where a unit of a clean text begins, or its end if it has fewer.
func unitAt(clean string, n int) int {
	_, starts := feature.Units(clean, heldShingle.Unit)
	if n >= len(starts) {
		return len(clean)
	}
	return int(starts[n])
}
