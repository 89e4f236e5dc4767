package feature_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/neardup/neardup/feature"
)

// TestEveryBitFollowsEveryRune changes one unit of a shingle and counts how
// often each bit of the hash changes: half the time, whatever the unit. Bits
// are also balanced over all shingles. Fixed seeds.
func TestEveryBitFollowsEveryRune(t *testing.T) {
	const draws = 4000
	limit := 5 * math.Sqrt(0.25/draws)
	for _, spec := range []string{"runes:1", "runes:3", "runes:4", "runes:7", "words:1", "words:3", "auto:5"} {
		s, err := feature.ParseShingle(spec)
		if err != nil {
			t.Fatal(err)
		}
		state := uint64(42)
		for pos := range s.K {
			var flips, set [64]int
			for range draws {
				seed := uint64(0) // the one that batches use
				if s.K < 3 {      // too few texts for one seed
					seed = splitmix(&state)
				}
				a, b := "", ""
				for i := range s.K {
					n := splitmix(&state) % 26
					x := string(rune('a' + n))
					y := x
					if i == pos {
						y = string(rune('a' + (n+1)%26))
					}
					a, b = a+x+x+" ", b+x+y+" "
					if s.Unit == feature.Runes {
						a, b = a[:len(a)-2], b[:len(b)-3]+y
					}
				}
				h := s.Append(nil, a, seed)[0]
				d := h ^ s.Append(nil, b, seed)[0]
				for bit := range 64 {
					flips[bit] += int(d >> bit & 1)
					set[bit] += int(h >> bit & 1)
				}
			}
			for bit := range 64 {
				name := fmt.Sprintf("%s unit %d bit %d", spec, pos, bit)
				if p := float64(flips[bit]) / draws; math.Abs(p-0.5) > limit {
					t.Errorf("%s: flips %.3f", name, p)
				}
				if p := float64(set[bit]) / draws; math.Abs(p-0.5) > limit {
					t.Errorf("%s: set %.3f", name, p)
				}
			}
		}
	}
}
