package eval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/eval"
)

// A shift moves the odds to where the labels are, gently if they are few; it depends neither on their order nor on
// which side is called the same.
func TestShift(t *testing.T) {
	all := func(p float64, same, different int) ([]float64, []bool) {
		return slices.Repeat([]float64{p}, same+different), slices.Concat(slices.Repeat([]bool{true}, same), make([]bool, different))
	}
	for _, c := range []struct {
		name            string
		p               float64
		same, different int
		low, high       float64
	}{
		{"no label", .5, 0, 0, 0, 0},
		{"as said", .5, 10, 10, 0, 0},
		{"three to one", .5, 3000, 1000, 1.57, 1.59}, // log2 3
		{"one to three", .5, 1000, 3000, -1.59, -1.57},
		{"said .9, a half is", .9, 500, 500, -3.17, -3.1},
		{"one label moves little", .5, 1, 0, .3, 1},
		{"certain and wrong", 1, 0, 20, -16, -8},
	} {
		if got := eval.Shift(all(c.p, c.same, c.different)); got < c.low || got > c.high || got*256 != math.Round(got*256) {
			t.Errorf("%s: %v bits, want %v to %v, a multiple of 1/256", c.name, got, c.low, c.high)
		}
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := rng.IntN(40)
		p, same := make([]float64, n), make([]bool, n)
		for i := range p {
			p[i], same[i] = rng.Float64(), rng.IntN(3) > 0
		}
		want := eval.Shift(p, same)
		order := rng.Perm(n)
		q, others, mirrored, opposite := make([]float64, n), make([]bool, n), make([]float64, n), make([]bool, n)
		for i, j := range order {
			q[i], others[i] = p[j], same[j]
			mirrored[i], opposite[i] = 1-p[j], !same[j]
		}
		if got := eval.Shift(q, others); got != want {
			t.Fatalf("%v bits, in another order %v", want, got)
		}
		if got := eval.Shift(mirrored, opposite); math.Abs(got+want) > 1.0/256 {
			t.Fatalf("%v bits, mirrored %v", want, got)
		}
	}
}
