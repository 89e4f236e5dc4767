package weighted

import (
	"cmp"
	"slices"
	"strings"

	"github.com/neardup/neardup"
)

// Difference is a place in which two texts have other words: A those of the
// first, B those of the second, "" where one has none there. Weight is the idf
// of the words on both sides together.
type Difference struct {
	A      string  `json:"a,omitempty"`
	B      string  `json:"b,omitempty"`
	Weight float64 `json:"weight"`
}

// Differences are the places in which two texts differ along their words, the
// heaviest first, at most most of them. Very long texts are not aligned: then
// each word that only one of them has is a place of its own. For what is
// reported only.
func (m *Method) Differences(a, b neardup.View, most int) []Difference {
	x, okX := a.(*View)
	y, okY := b.(*View)
	if !okX || !okY {
		return nil
	}
	var out []Difference
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	first, second := w.aligns.open(x, y)
	if max(len(first.tokens), len(second.tokens)) > mostTokens {
		out = append(alone(first, second, false), alone(second, first, true)...)
	} else {
		for _, s := range w.aligns.align(first.tokens, second.tokens) {
			first, of := wording(s.a)
			second, and := wording(s.b)
			out = append(out, Difference{first, second, float64(of+and) / unit})
		}
	}
	slices.SortStableFunc(out, func(x, y Difference) int { return cmp.Compare(y.Weight, x.Weight) })
	return out[:min(len(out), most)]
}

// wording is what tokens in a row say, and weigh.
func wording(tokens []token) (string, uint64) {
	var b strings.Builder
	total := uint64(0)
	for i := range tokens {
		if i > 0 && !(tokens[i].han && tokens[i-1].han) {
			b.WriteByte(' ')
		}
		b.WriteString(tokens[i].text)
		total += uint64(tokens[i].weight)
	}
	return b.String(), total
}

// alone lists the words of x that y has not.
func alone(x, y *opened, second bool) []Difference {
	var out []Difference
	seen := map[uint64]bool{}
	for i := range x.tokens {
		t := &x.tokens[i]
		if y.has(t.hash) || seen[t.hash] {
			continue
		}
		seen[t.hash] = true
		d := Difference{A: t.text, Weight: float64(t.weight) / unit}
		if second {
			d.A, d.B = "", d.A
		}
		out = append(out, d)
	}
	return out
}
