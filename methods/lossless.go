package methods

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// heldShingle is the unit that a leader must contain: pairs of words, or of runes in scripts without spaces. It does not
// depend on what the method compares.
var heldShingle = feature.Shingle{Unit: feature.Scripts, K: 2}

// Held returns the share of a clean text's distinct shingles (scripts:2) that another text also has. If the text has none,
// it returns 1.
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

// lossless wraps a method so that a text is removed only if the leader contains a share of its shingles. Otherwise the text
// is kept as an overlap.
type lossless struct{ decorator }

// newLossless wraps a method so that removals lose no content.
func newLossless(m neardup.Searchable, share float64) neardup.Method {
	return makeLossless(decorator{name: "lossless", share: share, shingle: heldShingle, keepText: true}, m)
}

func makeLossless(d decorator, of neardup.Searchable) neardup.Method {
	l := &lossless{d}
	l.Searchable, l.decorator.revise = of, l.revise
	l.wrap = func(m neardup.Searchable) neardup.Method { return makeLossless(d, m) }
	return l
}

// revise turns a near match into an overlap if the leader lacks a part of the text. It names the longest passage that the
// leader lacks.
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

// Template returns the template of the wrapped method, made more specific. It differs for texts that differ in more than
// the digits of their numbers, because a leader may contain more of one than of the other.
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

// mostLacking limits the length of a shown passage, in runes.
const mostLacking = 200

// lacking returns the longest passage of a clean text that shares no shingle with others.
func lacking(clean string, others []uint64) string {
	all := heldShingle.Append(nil, clean, 0)
	from, to := 0, 0 // range of shingles
	for i := 0; i < len(all); i++ {
		begun := i
		for i < len(all) && !isAmong(others, all[i]) {
			i++
		}
		if i-begun > to-from {
			from, to = begun, i
		}
	}
	// Shingle i covers the units i and i+1. The first and the last unit of the passage are also in shingles that the leader
	// contains, unless the text begins or ends there.
	first, last := from, to
	if from > 0 {
		first++
	}
	if to < len(all) {
		last--
	}
	if first > last { // the leader has both words, but not next to each other
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

// unitAt returns the offset of a unit of a clean text, or the length of the text if it has fewer units.
func unitAt(clean string, n int) int {
	_, starts := feature.Units(clean, heldShingle.Unit)
	if n >= len(starts) {
		return len(clean)
	}
	return int(starts[n])
}
