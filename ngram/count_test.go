package ngram_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
)

// euclidean is the definition by maps.
func euclidean(a, b string, k int) float64 {
	count := func(s string) map[string]int {
		counts, runes := map[string]int{}, []rune(s)
		for i := 0; i+k <= len(runes); i++ {
			counts[string(runes[i:i+k])]++
		}
		return counts
	}
	x, y := count(a), count(b)
	apart, both := 0, 0
	for gram, n := range x {
		apart += (n - y[gram]) * (n - y[gram])
		both += n * n
	}
	for gram, n := range y {
		if x[gram] == 0 {
			apart += n * n
		}
		both += n * n
	}
	return 1 - math.Sqrt(float64(apart)/float64(both))
}

// By brute force: of every pair the similarity is that of the definition, and
// none at the threshold is lost, whatever the table says of rarity.
func TestEuclideanFindsEveryPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	var texts []string
	for range 60 { // few letters, so that grams repeat; copies with edits
		base := make([]byte, 3+rng.IntN(30))
		for i := range base {
			base[i] = "aabcde"[rng.IntN(6)]
		}
		for range 4 {
			edited := slices.Clone(base)
			for range rng.IntN(4) {
				edited[rng.IntN(len(edited))] = "aabcde"[rng.IntN(6)]
			}
			texts = append(texts, string(edited[:len(edited)-rng.IntN(2)]))
		}
	}
	for _, threshold := range []float64{.2, .5, .7, .9, 1} {
		for _, k := range []int{1, 2} {
			m, err := ngram.New(ngram.Config{
				Similarity: ngram.Euclidean, Threshold: threshold, Shingle: feature.Shingle{Unit: feature.Runes, K: k}, Seed: 5,
			})
			if err != nil {
				t.Fatal(err)
			}
			trained := train(m, texts)
			views := make([]neardup.View, len(texts))
			for i, text := range texts {
				views[i] = trained.View(text)
			}
			want := map[pair]float64{}
			for j := range texts {
				for i := range j {
					similarity := euclidean(texts[i], texts[j], k)
					match := trained.Compare(views[i], views[j])
					if match != trained.Compare(views[j], views[i]) || match.Near != (similarity >= threshold) || match.Near && match.Similarity != similarity {
						t.Fatalf("%q and %q: %+v, want %v", texts[i], texts[j], match, similarity)
					}
					if match.Near {
						want[pair{int32(i), int32(j)}] = similarity
					}
				}
			}
			for name, method := range map[string]neardup.Method{"trained": trained, "untrained": m} {
				found := 0
				join(method, texts, func(p pair, _ neardup.Match) {
					if _, ok := want[p]; ok {
						found++
					}
				})
				if found != len(want) || len(want) < 8 {
					t.Errorf("%v of runes:%d, %s: %d of %d pairs", threshold, k, name, found, len(want))
				}
			}
		}
	}
}

func TestEuclideanCountsRepeats(t *testing.T) {
	m, err := ngram.New(ngram.Config{Similarity: ngram.Euclidean, Threshold: .1, Shingle: feature.Shingle{Unit: feature.Words, K: 1}})
	if err != nil {
		t.Fatal(err)
	}
	match := m.Compare(m.View("buy now buy now buy now"), m.View("buy now"))
	// Vectors (3, 3) and (1, 1): their difference is (2, 2).
	if want := 1 - math.Sqrt(8.0/20); match.Similarity != want || match.Basis != "euclidean of words:1" {
		t.Errorf("%+v, want %v", match, want)
	}
}
