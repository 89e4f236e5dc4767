package eval_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup/eval"
)

// TestCurve: counts by hand, and what is proposed for which aim.
func TestCurve(t *testing.T) {
	pairs := []eval.Scored{{.95, true}, {.9, true}, {.9, false}, {.7, true}, {.65, false}, {0, true}}
	r := eval.Curve("m", pairs, .5, eval.Aim{})
	if len(r.Points) != 26 || r.Points[0].Threshold != .5 || r.Points[25].Threshold != 1 || r.Positive != 4 || r.Negative != 2 {
		t.Fatalf("%+v", r)
	}
	for _, p := range r.Points {
		right, called := 0, 0
		for _, x := range pairs {
			if x.Similarity >= p.Threshold {
				called++
				if x.Positive {
					right++
				}
			}
		}
		if p.Precision.Count != right || p.Precision.Of != called || p.Recall.Of != 4 || p.Recall.Count != right {
			t.Errorf("%+v", p)
		}
	}
	for _, c := range []struct {
		aim  eval.Aim
		want float64
		only bool // positive pairs
	}{
		{eval.Aim{}, .7, false},
		{eval.Aim{Precision: .75}, .66, false},
		{eval.Aim{Precision: 1}, .92, false},
		{eval.Aim{Recall: .5}, .9, true},
		{eval.Aim{Recall: 1}, .5, true}, // not attainable
	} {
		list := pairs
		if c.only {
			list = []eval.Scored{pairs[0], pairs[1], pairs[3], pairs[5]}
		}
		r := eval.Curve("m", list, .5, c.aim)
		if r.Proposed.Threshold != c.want || r.Few == "" {
			t.Errorf("%+v: proposed %v, want %v; %q", c.aim, r.Proposed.Threshold, c.want, r.Few)
		}
	}
}

// TestCurveIsWarned: the curve warns of too few pairs, and not of many.
func TestCurveIsWarned(t *testing.T) {
	var many []eval.Scored
	for i := range 400 {
		many = append(many, eval.Scored{Similarity: .5 + float64(i%2)*.4, Positive: i%2 == 1})
	}
	for _, c := range []struct {
		pairs []eval.Scored
		want  string
	}{
		{many, ""}, {many[:40], "too few pairs that are duplicates: 20"}, {nil, "too few"},
	} {
		r := eval.Curve("m", c.pairs, .3, eval.Aim{Recall: .95})
		var b strings.Builder
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(r.Few, c.want) || (r.Few == "") != (c.want == "") || strings.Contains(b.String(), "warning") != (r.Few != "") {
			t.Errorf("%d pairs: %q", len(c.pairs), r.Few)
		}
	}
}

// Both shares are drawn with their intervals, and the proposal is marked.
func TestCurveDrawn(t *testing.T) {
	r := eval.Curve("jaccard", []eval.Scored{{.9, true}, {.7, true}, {.6, false}, {0, false}}, .3, eval.Aim{})
	var svg strings.Builder
	if err := r.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"jaccard", "precision", "recall", ">proposed<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("%q is not drawn", want)
		}
	}
	if lines := strings.Count(svg.String(), "<polyline"); lines != 6 || strings.Contains(svg.String(), "NaN") {
		t.Errorf("%d lines\n%s", lines, svg.String())
	}
}
