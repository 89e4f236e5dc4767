package feature_test

import (
	"math"
	"testing"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/featuretest"
)

// TestSetsGiveTheJaccardOfTheOracles compares with pairs computed by brute
// force over strings: equal to three decimals for 99.9 % of them.
func TestSetsGiveTheJaccardOfTheOracles(t *testing.T) {
	const sample = 500 // pairs of each set
	for _, set := range []featuretest.Set{
		featuretest.OTA, featuretest.LCTT, featuretest.TiDB,
		featuretest.Laws, featuretest.Licenses, featuretest.SMS,
	} {
		t.Run(set.Name, func(t *testing.T) {
			texts, pairs := set.Texts(t), set.Pairs(t)
			sets := map[string][]uint64{}
			setOf := func(id string) []uint64 {
				s, ok := sets[id]
				if !ok {
					s = feature.Set(set.Shingle.Append(nil, featuretest.Unsigned(texts.Clean[texts.Index[id]], set.Shingle.Unit), 0))
					sets[id] = s
				}
				return s
			}
			step := max(1, len(pairs)/sample)
			all, wrong := 0, 0
			for i := 0; i < len(pairs); i += step {
				p := pairs[i]
				a, b := setOf(p.A), setOf(p.B)
				if len(a) == 0 && len(b) == 0 {
					continue // the oracle calls two texts without a shingle equal
				}
				both := feature.IntersectSorted(a, b)
				j := float64(both) / float64(len(a)+len(b)-both)
				all++
				if math.Abs(j-p.Jaccard) > 0.0005 {
					wrong++
					t.Logf("%s and %s: %.4f, the oracle says %.4f", p.A, p.B, j, p.Jaccard)
				}
			}
			t.Logf("%d pairs, %d differ", all, wrong)
			if wrong*1000 > all {
				t.Errorf("%d of %d pairs differ", wrong, all)
			}
		})
	}
}

// TestNoTwoShinglesOfTheSharedTextsCollide hashes every distinct shingle of
// some million.
func TestNoTwoShinglesOfTheSharedTextsCollide(t *testing.T) {
	for _, set := range []featuretest.Set{featuretest.SMS, featuretest.Laws} {
		texts := set.Texts(t)
		seen := map[string]bool{}
		var hashes []uint64
		for i, clean := range texts.Clean {
			if i == 800 {
				break
			}
			got := set.Shingle.Append(nil, clean, 0)
			for j, sh := range shingles(clean, set.Shingle) {
				if !seen[sh] {
					seen[sh] = true
					hashes = append(hashes, got[j])
				}
			}
		}
		if got := len(feature.Set(hashes)); got != len(seen) {
			t.Errorf("%s: %d hashes of %d shingles", set.Name, got, len(seen))
		} else {
			t.Logf("%s: %d shingles", set.Name, got)
		}
	}
}
