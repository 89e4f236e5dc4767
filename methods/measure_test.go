package methods_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

// Measure returns the similarity of Compare if a pair is near, whatever the threshold. It returns less than the
// threshold if Compare refuses the pair for that.
func TestMeasureIsCompareWithoutThreshold(t *testing.T) {
	specs := []string{
		"minhash shingle=words:1",
		"jaccard shingle=words:1",
		"simhash verify=off min-features=1",
		"simhash min-features=1 shingle=words:1",
		"ngram", "weighted", "ngram similarity=jaccard", "ngram similarity=cosine", "ngram similarity=containment",
	}
	words := strings.Fields("one two three four five six seven eight nine ten")
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(words[rng.IntN(len(words))] + " ")
		}
		return b.String()
	}
	for _, c := range specs {
		m, err := methods.New(c + " threshold=.5")
		if err != nil {
			t.Fatal(err)
		}
		by, ok := m.(neardup.Searchable)
		if !ok {
			t.Errorf("%s measures nothing", m.Spec())
			continue
		}
		near, refused := 0, 0
		for range 2000 {
			x, y := m.Prepare(text()), m.Prepare(text())
			match, measured := m.Compare(x, y), by.Measure(x, y)
			switch {
			case match.Near && measured != match.Similarity:
				t.Fatalf("%s: measured %v, compared %v", m.Spec(), measured, match.Similarity)
			case !match.Near && m.Spec().Method != "simhash" && measured >= .5:
				t.Fatalf("%s: refused at %v", m.Spec(), measured)
			case match.Near:
				near++
			case measured > 0:
				refused++
			}
		}
		if near == 0 || refused == 0 {
			t.Errorf("%s: %d near, %d refused with a similarity", m.Spec(), near, refused)
		}
	}
}
