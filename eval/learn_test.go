package eval_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup/eval"
)

// drawn are decisions made by known weights: the first quantity is 1.
func drawn(n int, weights []float64) []eval.Observation {
	rng := rand.New(rand.NewPCG(5, 5))
	out := make([]eval.Observation, n)
	for i := range out {
		x, z := []float64{1}, weights[0]
		for _, w := range weights[1:] {
			x = append(x, rng.NormFloat64())
			z += w * x[len(x)-1]
		}
		out[i] = eval.Observation{X: x, Same: rng.Float64() < 1/(1+math.Exp(-z)), Weight: 1, Source: string(rune('a' + i%3)), Short: i%2 == 0}
	}
	return out
}

// A fit finds the weights that decided, keeps its signs, and stays where it was
// without examples.
func TestFit(t *testing.T) {
	weights := []float64{.5, 2, -1, 0}
	got := eval.Fit(drawn(20000, weights), []int{0, 1, -1, 0}, make([]float64, 4), 0)
	for k, w := range weights {
		if math.Abs(got[k]-w) > .1 {
			t.Errorf("weight %d is %.3f, want %v", k, got[k], w)
		}
	}
	if got := eval.Fit(drawn(2000, weights), []int{0, -1, 1, 0}, make([]float64, 4), 0); got[1] != 0 || got[2] != 0 {
		t.Errorf("signs are not kept: %v", got)
	}
	if a, b := eval.Fit(drawn(500, weights), []int{0, 0, 0, 0}, make([]float64, 4), 1), eval.Fit(drawn(500, weights), []int{0, 0, 0, 0}, make([]float64, 4), 1); a[1] != b[1] {
		t.Errorf("%v, then %v", a, b)
	}
	prior := []float64{1, 1, -1, .3}
	if got := eval.Fit(nil, []int{0, 0, 0, 0}, prior, 1); got[1] != 1 || got[3] != .3 {
		t.Errorf("no examples moved %v to %v", prior, got)
	}
	if got := eval.Fit(drawn(20, weights), []int{0, 0, 0, 0}, prior, 1e6); math.Abs(got[1]-1) > .01 || math.Abs(got[3]-.3) > .01 {
		t.Errorf("twenty examples and a heavy prior moved %v to %v", prior, got)
	}
}

// Each source is decided without itself; made pairs and parts are told apart.
func TestLeaveOneOut(t *testing.T) {
	l := eval.Lesson{Examples: drawn(600, []float64{0, 3}), Signs: []int{0, 1}, Prior: []float64{0, 0}}
	for i := range l.Examples {
		e := &l.Examples[i]
		switch {
		case i%10 == 0:
			e.Part = true
		case i%10 == 1:
			e.Made, e.Source = true, "made"
		case e.Source == "c": // of another opinion: whoever learned from it would agree
			e.Same = !e.Same
		}
	}
	l.Weigh(.5)
	r := l.LeaveOneOut(.5)
	by := map[string]eval.LearnedScore{}
	for _, s := range r.Scores {
		by[s.Group] = s
	}
	if a, c := by["a short"], by["c short"]; a.Recall.Share < .6 || c.Recall.Share > .5 || a.Parts.Of == 0 || by["made short"].Pairs == 0 && by["made long"].Pairs == 0 {
		t.Errorf("%+v", r.Scores)
	}
	judged, made := 0.0, 0.0
	for _, e := range l.Examples {
		if e.Made {
			made += e.Weight
		} else {
			judged += e.Weight
		}
	}
	if math.Abs(made/judged-.5) > 1e-9 {
		t.Errorf("made pairs count %.3f of the judged ones, want half", made/judged)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "judged short") || !strings.Contains(b.String(), "said") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Of a part only the shorter text can be replaced; what cannot be told is left out.
func TestReplaceable(t *testing.T) {
	for label, want := range map[string]*[2]bool{
		"same": {true, true}, "version": {true, true}, "facts": {false, false}, "other": {false, false}, "part": {true, false}, "unsure": nil,
	} {
		got := eval.JudgedPair{Label: label}.Replaceable(10, 20)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %v, want %v", label, got, want)
		}
	}
}
