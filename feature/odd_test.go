package feature_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/feature"
)

func odd(set []uint64) feature.OddSketch {
	o := make(feature.OddSketch, feature.OddSketchWords(len(set)))
	o.Fill(set)
	return o
}

// A bound is never more than what two sets differ by, however long the
// strings, whichever comes first, and 0 for a set and itself.
func TestOddIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := overlapping(t)
		differ := len(a) + len(b) - 2*intersect(a, b)
		x, y := odd(a), odd(b)
		got := x.AtLeast(y)
		if got > differ || (got-differ)%2 != 0 {
			t.Fatalf("%d and %d hashes differ by %d, the bound is %d", len(a), len(b), differ, got)
		}
		if back := y.AtLeast(x); back != got {
			t.Fatalf("one way %d, the other %d", got, back)
		}
		if self := x.AtLeast(x); self != 0 {
			t.Fatalf("a set differs from itself by %d", self)
		}
	})
}

// Of pairs at similarity .72, as articles of one template are, it shows for
// nearly all that they do not reach .8.
func TestOddTellsTemplatesApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{40, 130, 375, 512, 2000} {
		template := make([]uint64, n*5/6)
		for i := range template {
			template[i] = r.Uint64()
		}
		sets := make([][]uint64, 100)
		for i := range sets {
			sets[i] = append(sets[i], template...)
			for len(sets[i]) < n {
				sets[i] = append(sets[i], r.Uint64())
			}
		}
		shown, pairs := 0, 0
		for i := range sets {
			for j := range i {
				pairs++
				if odd(sets[i]).AtLeast(odd(sets[j])) > feature.Misses(n, n, .8) {
					shown++
				}
			}
		}
		t.Logf("%d hashes: %d of %d pairs", n, shown, pairs)
		if want := pairs * 9 / 10; n > 300 && shown < want {
			t.Errorf("%d hashes: %d of %d pairs, want %d", n, shown, pairs, want)
		}
	}
}

func TestOddWords(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 32: 1, 33: 2, 64: 2, 65: 4, 512: 16, 513: 32} {
		if got := feature.OddSketchWords(n); got != want {
			t.Errorf("%d hashes: %d words, want %d", n, got, want)
		}
	}
}
