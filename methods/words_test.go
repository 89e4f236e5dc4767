package methods_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/methods"
)

// What rules out long texts by their words is never a pair that is near or a variant, whatever cuts them.
func TestLongTextsRuledOut(t *testing.T) {
	for _, spec := range []string{"", "shingle=words:3", "seed=7"} {
		m, err := methods.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		two := m.(neardup.TwoStage)
		rng := rand.New(rand.NewPCG(5, 6))
		var base []string
		for range 700 {
			base = append(base, fmt.Sprint("word", rng.IntN(200)))
		}
		type text struct {
			neardup.Record
			neardup.Prepared
			*evidence.LongView
		}
		var texts []text
		for range 60 {
			words := append([]string(nil), base[rng.IntN(200):300+rng.IntN(400)]...)
			for range rng.IntN(len(words)/3 + 1) {
				words[rng.IntN(len(words))] = fmt.Sprint("word", rng.IntN(400))
			}
			clean := strings.Join(words, " ")
			x := text{Prepared: m.Prepare(clean), LongView: evidence.NewLongView(clean)}
			m.Record(clean, &x.Record)
			texts = append(texts, x)
		}
		scorer := evidence.New(nil, evidence.Weights{})
		ruledOut, found := 0, 0
		for _, x := range texts {
			for _, y := range texts {
				screened, decided := two.Screen(x.Prepared, y.Prepared)
				match := m.Compare(x.Prepared, y.Prepared)
				switch similar := match.Near || match.Variant; {
				case similar && (decided || screened.Near || !m.Plausible(x.Sketch, y.Sketch)):
					t.Fatalf("%s: a pair of similarity %v is ruled out", spec, match.Similarity)
				case similar:
					found++
					if r := scorer.Resemblance(x.LongView, y.LongView); r < .6 {
						t.Fatalf("%s: a pair of resemblance %v is scored", spec, r)
					}
				case decided && screened.Similarity == 0:
					ruledOut++
				}
			}
		}
		if found < 200 || ruledOut < 200 {
			t.Errorf("%s: %d found, %d ruled out", spec, found, ruledOut)
		}
	}
}
