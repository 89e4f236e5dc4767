package minhash

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// Unlike is true of no near pair, however many shingles are repeated, and of nearly all pairs with little in common.
func TestUnlikeIsTrueOfNoNearPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, threshold := range []float64{.2, .4, .5, .8} {
		m, err := New(Config{Shingle: feature.Shingle{Unit: feature.Scripts, K: 2}, Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		near, border, far, ruledOut := 0, 0, 0, 0
		for range 2000 {
			words := make([]string, 2+rng.IntN(600))
			for i := range words {
				words[i] = string(rune('a'+rng.IntN(26))) + string(rune('a'+rng.IntN(26)))
			}
			other := append([]string(nil), words[rng.IntN(len(words)):]...) // the end of the text, and some words of others
			for range rng.IntN(len(words)) {
				other = append(other, string(rune('a'+rng.IntN(26)))+string(rune('a'+rng.IntN(26))))
			}
			var rec neardup.Record
			a, b := strings.Join(words, " "), strings.Join(other, " ")
			v, _, _ := m.RecordUnits(a, &rec)
			x, y := v.Outline, m.RecordOutline(b, &rec)
			unlike := m.Unlike(x, y)
			if unlike != m.Unlike(y, x) {
				t.Fatalf("%q and %q: unlike in one direction", a, b)
			}
			match := m.Compare(m.Prepare(a), m.Prepare(b))
			similarity := m.Measure(m.Prepare(a), m.Prepare(b))
			switch {
			case match.Near:
				near++
				if unlike {
					t.Fatalf("%q and %q: unlike, but %v similar", a, b, similarity)
				}
				if similarity < threshold+.02 {
					border++
				}
			case similarity < threshold/4:
				far++
				if unlike {
					ruledOut++
				}
			}
		}
		if near < 10 || border == 0 || (threshold >= .4 && 10*ruledOut < 9*far) {
			t.Errorf("threshold %v: %d near, %d nearly not; %d of %d far ones are ruled out", threshold, near, border, ruledOut, far)
		}
	}
	m, _ := New(Config{})
	if empty := newOutline(nil); m.Unlike(empty, empty) {
		t.Error("texts without shingles are unlike")
	}
}
