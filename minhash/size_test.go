package minhash_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/minhash"
)

// TestPlausibleAtTheThresholdItself: of two sets, one within the other, the
// Jaccard similarity is the quotient of their sizes. At that threshold the pair
// is near, so the sizes must allow it; at the next larger float it is not, and so
// few shingles are counted exactly, so that the sizes alone show it.
func TestPlausibleAtTheThresholdItself(t *testing.T) {
	const most = 7
	texts := make([]string, most+1)
	for n := 1; n <= most; n++ {
		texts[n] = strings.TrimSpace(texts[n-1] + fmt.Sprintf(" w%d", n))
	}
	for large := 2; large <= most; large++ {
		for small := 1; small < large; small++ {
			ratio := float64(small) / float64(large)
			for _, c := range []struct {
				threshold float64
				want      bool
			}{{ratio, true}, {math.Nextafter(ratio, 1), false}} {
				m := method(t, minhash.Config{Shingle: feature.Shingle{Unit: feature.Words, K: 1}, Threshold: c.threshold})
				var a, b neardup.Record
				m.Record(texts[small], &a)
				m.Record(texts[large], &b)
				near := m.Compare(m.Prepare(texts[small]), m.Prepare(texts[large])).Near
				if near != c.want || m.Plausible(a.Sketch, b.Sketch) != c.want || m.Plausible(b.Sketch, a.Sketch) != c.want {
					t.Errorf("%d of %d shingles at %v: near %v, plausible %v and %v, want %v", small, large, c.threshold,
						near, m.Plausible(a.Sketch, b.Sketch), m.Plausible(b.Sketch, a.Sketch), c.want)
				}
			}
		}
	}
}
