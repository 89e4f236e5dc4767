package weighted

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
)

// Keys. If two texts are similar at t, what they have in common weighs at least
// t times either text. Order the words of a text, the heaviest first; weights
// are fixed, so that any two texts have their common words in one order. Take
// words until the rest, with the heaviest word on top, weighs less than t times
// the text: then the first two words that two near texts have in common are
// among those taken of either, and a pair of words is a key. Where one word
// alone weighs so much it is a key by itself. No pair of texts is lost.
//
// A text of n taken words has n(n-1)/2 such pairs. Near texts share many of
// them, so of more than wantKeys a sample is enough: those whose hash is below
// a bound, the lower the more pairs there are. Texts that are near have about
// as many pairs and so about the same bound.
const wantKeys = 24

// Record makes the keys. The sketch has the weight of the text in its bits 48
// to 61, in units of 1/16, and below a bit for each heavy word.
func (m *Method) Record(clean string, rec *neardup.Record) {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	m.record(w, w.cut(clean), rec)
}

// RecordView is Record and View in one: the text is cut once.
func (m *Method) RecordView(clean string, rec *neardup.Record) neardup.View {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	tokens := w.cut(clean)
	m.record(w, tokens, rec)
	return newView(w, tokens, clean)
}

func (m *Method) record(w *work, tokens []token, rec *neardup.Record) {
	rec.Reset()
	var total uint64
	w.words, total = set(w.words[:0], tokens)
	if len(w.words) == 0 {
		return
	}
	rec.Sketch = sketch(w.words, total)
	rec.Index = m.appendKeys(rec.Index, w.words, total)
}

// Prefix is the view of the first n runes of a text, whole words.
func (m *Method) Prefix(clean string, n int) neardup.View {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	if n < len(clean) {
		clean = firstRunes(clean, n)
	}
	return newView(w, w.cut(clean), clean)
}

func firstRunes(s string, n int) string {
	for at := range s {
		if n == 0 {
			return strings.Clone(s[:at]) // lets go of the long text
		}
		n--
	}
	return s
}

func newView(w *work, tokens []token, clean string) *View {
	v := &View{tokens: slices.Clone(tokens), runes: utf8.RuneCountInString(clean)}
	v.chinese = slices.ContainsFunc(v.tokens, func(t token) bool { return t.han })
	v.words, v.total = set(make([]weightedWord, 0, len(tokens)), tokens)
	v.bytes = 96 + 56*cap(v.tokens) + 16*cap(v.words) + len(clean)
	return v
}

// appendKeys appends the keys of a set of words, which it sorts anew.
func (m *Method) appendKeys(keys []uint64, words []weightedWord, total uint64) []uint64 {
	slices.SortFunc(words, func(a, b weightedWord) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.hash, b.hash))
	})
	heaviest := uint64(words[0].weight)
	rest, n := total, 0
	for n < len(words) && m.reaches(rest+heaviest, total) {
		rest -= uint64(words[n].weight)
		n++
	}
	words = words[:n]
	bound := ^uint64(0)
	if pairs := uint64(n) * uint64(n-1) / 2; pairs > wantKeys {
		bound = bound / pairs * wantKeys
	}
	for i, first := range words {
		if m.reaches(uint64(first.weight), total) {
			keys = append(keys, mix(mix(first.hash)))
		}
		for _, second := range words[i+1:] {
			if key := mix(first.hash ^ bits.RotateLeft64(second.hash, 31)); key <= bound {
				keys = append(keys, mix(key)) // spread again over all values
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// mix is the output function of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Parts of a sketch.
const (
	weightShift = 48
	sketchUnit  = unit / 16
	mostSketch  = 1<<14 - 1
	heavyBits   = 1<<weightShift - 1
	// heavy is the least weight of the words that have a bit.
	heavy = 5 * unit
)

func sketch(words []weightedWord, total uint64) uint64 {
	s := min(total/sketchUnit, mostSketch) << weightShift
	for _, w := range words {
		if w.weight >= heavy {
			s |= 1 << (w.hash >> 32 * weightShift >> 32)
		}
	}
	return s
}

// Plausible bounds what two texts have in common: no more than either weighs
// without the heavy words that only it has, of which each bit that the other
// lacks is one.
func (m *Method) Plausible(a, b uint64) bool {
	x, y := a>>weightShift&mostSketch, b>>weightShift&mostSketch
	if x == mostSketch || y == mostSketch {
		return true
	}
	const heavyUnits = heavy / sketchUnit
	most := min(int64(x)+1-heavyUnits*int64(bits.OnesCount64(a&^b&heavyBits)),
		int64(y)+1-heavyUnits*int64(bits.OnesCount64(b&^a&heavyBits)))
	return most > 0 && float64(most)/float64(int64(x+y)-most) >= m.threshold*(1-1e-9)
}
