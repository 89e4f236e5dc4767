package learn_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/bench/learn"
)

// drawn returns decisions made by known weights: the first quantity is 1. There are five families, a to e.
func drawn(n int, weights ...float64) []learn.Observation {
	rng := rand.New(rand.NewPCG(5, 5))
	out := make([]learn.Observation, n)
	for i := range out {
		x, z := []float64{1}, weights[0]
		for _, w := range weights[1:] {
			x = append(x, rng.NormFloat64())
			z += w * x[len(x)-1]
		}
		out[i] = learn.Observation{X: x, Same: rng.Float64() < 1/(1+math.Exp(-z)), Family: string(rune('a' + i%5))}
	}
	return out
}

// A fit finds the weights that decided, keeps its signs.
func TestFit(t *testing.T) {
	any4 := []int{0, 0, 0, 0}
	for name, c := range map[string]struct {
		lesson learn.Lesson
		want   []float64
		within float64
	}{
		"found":            {learn.Lesson{Examples: drawn(20000, .5, 2, -1, 0), Signs: []int{0, 1, -1, 0}}, []float64{.5, 2, -1, 0}, .1},
		"signs":            {learn.Lesson{Examples: drawn(2000, 0, 2, -1, 0), Signs: []int{0, -1, 1, 0}}, []float64{0, 0, 0, 0}, .1},
		"never another":    {learn.Lesson{Examples: drawn(0, 0), Signs: any4}, []float64{0, 0, 0, 0}, 0},
		"parted perfectly": {learn.Lesson{Examples: []learn.Observation{{X: []float64{1, 1, 0, 0}, Same: true}, {X: []float64{1, -1, 0, 0}}}, Signs: any4}, []float64{0, 4.8, 0, 0}, .2},
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
	of := func(n int, family string, same, made, test bool) []learn.Observation {
		return slices.Repeat([]learn.Observation{{X: []float64{1}, Same: same, Family: family, Made: made, Test: test}}, n)
	}
	share := func(made float64, examples ...[]learn.Observation) float64 {
		l := learn.Lesson{Examples: slices.Concat(examples...), Signs: []int{0}, Made: made}
		return learn.Probability(l.Fit(), []float64{1})
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
	l := learn.Lesson{Examples: drawn(1000, 0, 3), Signs: []int{0, 0}}
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
