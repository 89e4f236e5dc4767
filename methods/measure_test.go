package methods_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/ngram"
)

// What a method measures is what Compare says where a pair is near, whatever the
// threshold, and less than the threshold where Compare refuses it for that.
func TestMeasureIsCompareWithoutThreshold(t *testing.T) {
	configs := []methods.Config{
		{Name: "minhash", Shingle: feature.Shingle{Unit: feature.Words, K: 1}},
		{Name: "jaccard", Shingle: feature.Shingle{Unit: feature.Words, K: 1}},
		{Name: "simhash", Verify: methods.Off, MinFeatures: 1},
		{Name: "simhash", MinFeatures: 1, Shingle: feature.Shingle{Unit: feature.Words, K: 1}},
		{Name: "ngram"}, {Name: "weighted"},
	}
	for _, s := range []ngram.Similarity{ngram.Jaccard, ngram.Cosine, ngram.Containment} {
		configs = append(configs, methods.Config{Name: "ngram", Similarity: s})
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
	for _, c := range configs {
		c.Threshold = .5
		m, err := methods.New(c)
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
			x, y := m.View(text()), m.View(text())
			match, measured := m.Compare(x, y), by.Measure(x, y)
			switch {
			case match.Near && measured != match.Similarity:
				t.Fatalf("%s: measured %v, compared %v", m.Spec(), measured, match.Similarity)
			case !match.Near && c.Name != "simhash" && measured >= c.Threshold:
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
