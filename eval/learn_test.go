package eval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/eval"
)

// drawn returns decisions made by known weights: the first quantity is 1. There are five families, a to e.
func drawn(n int, weights ...float64) []eval.Observation {
	rng := rand.New(rand.NewPCG(5, 5))
	out := make([]eval.Observation, n)
	for i := range out {
		x, z := []float64{1}, weights[0]
		for _, w := range weights[1:] {
			x = append(x, rng.NormFloat64())
			z += w * x[len(x)-1]
		}
		out[i] = eval.Observation{X: x, Same: rng.Float64() < 1/(1+math.Exp(-z)), Family: string(rune('a' + i%5))}
	}
	return out
}

// A fit finds the weights that decided, keeps its signs, and stays near its prior as long as examples are few.
func TestFit(t *testing.T) {
	any4 := []int{0, 0, 0, 0}
	for name, c := range map[string]struct {
		lesson eval.Lesson
		want   []float64
		within float64
	}{
		"found":            {eval.Lesson{Examples: drawn(20000, .5, 2, -1, 0), Signs: []int{0, 1, -1, 0}}, []float64{.5, 2, -1, 0}, .1},
		"signs":            {eval.Lesson{Examples: drawn(2000, 0, 2, -1, 0), Signs: []int{0, -1, 1, 0}}, []float64{0, 0, 0, 0}, .1},
		"no example":       {eval.Lesson{Signs: any4, Prior: []float64{1, 1, -1, .3}}, []float64{1, 1, -1, .3}, 0},
		"a prior, few":     {eval.Lesson{Examples: drawn(10, .5, 2, -1, 0), Signs: any4, Prior: []float64{0, 0, 4, 0}}, []float64{0, 0, 4, 0}, 1},
		"a prior, many":    {eval.Lesson{Examples: drawn(20000, .5, 2, -1, 0), Signs: any4, Prior: []float64{0, 0, 4, 0}}, []float64{.5, 2, -1, 0}, .25},
		"never another":    {eval.Lesson{Examples: drawn(0, 0), Signs: any4}, []float64{0, 0, 0, 0}, 0},
		"parted perfectly": {eval.Lesson{Examples: []eval.Observation{{X: []float64{1, 1, 0, 0}, Same: true}, {X: []float64{1, -1, 0, 0}}}, Signs: any4}, []float64{0, 4.8, 0, 0}, .2},
	} {
		got := c.lesson.Fit()
		for k, w := range c.want {
			if !(math.Abs(got[k]-w) <= c.within) { // nor is it NaN
				t.Errorf("%s: weight %d is %.3f, want %v within %v", name, k, got[k], w, c.within)
			}
		}
		if again := c.lesson.Fit(); !slices.Equal(got, again) {
			t.Errorf("%s: %v, then %v", name, got, again)
		}
	}
}

// Pairs marked as a test are not learned from. A large family counts at most its square root, and made pairs
// count the requested share.
func TestWhatCounts(t *testing.T) {
	of := func(n int, family string, same, made, test bool) []eval.Observation {
		return slices.Repeat([]eval.Observation{{X: []float64{1}, Same: same, Family: family, Made: made, Test: test}}, n)
	}
	share := func(made float64, examples ...[]eval.Observation) float64 {
		l := eval.Lesson{Examples: slices.Concat(examples...), Signs: []int{0}, Made: made}
		return eval.Probability(l.Fit(), []float64{1})
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"tests do not count":     {share(0, of(3, "a", true, false, false), of(1, "a", false, false, false), of(99, "a", false, false, true)), .75},
		"a family, by its root":  {share(0, of(900, "a", true, false, false), of(100, "b", false, false, false)), .75},
		"made pairs, by a share": {share(.25, of(40, "a", true, false, false), of(1000, "made", false, true, false)), .8},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// Each family is decided without itself: of two that disagree, nearly all is decided wrongly.
func TestLeaveOut(t *testing.T) {
	l := eval.Lesson{Examples: drawn(1000, 0, 3), Signs: []int{0, 0}}
	for i := range l.Examples {
		e := &l.Examples[i]
		e.Same = e.Same != (i%2 == 0)
		e.Family = []string{"one", "other"}[i%2]
	}
	right := map[string]int{}
	for i, p := range l.LeaveOut() {
		if e := l.Examples[i]; (p >= .5) == e.Same {
			right[e.Family]++
		}
	}
	if right["one"] > 125 || right["other"] > 125 {
		t.Errorf("right of 500 each: %v", right)
	}
}

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
