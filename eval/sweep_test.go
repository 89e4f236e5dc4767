package eval_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
)

// Settings are drawn and printed for short and long pairs apart.
func TestSweep(t *testing.T) {
	pairs := []eval.JudgedPair{
		{A: "a", B: "b", Label: "same", Band: "short"}, {A: "c", B: "d", Label: "facts", Band: "short"},
		{A: "e", B: "f", Label: "version", Band: "long"}, {A: "g", B: "h", Label: "version", Band: "long"},
	}
	similarity := map[string]float64{"a": .9, "c": .6, "e": .8, "g": .5}
	sweep := eval.Sweep{Default: .6}
	for _, threshold := range eval.Thresholds() {
		r := eval.Judged(pairs, func(p eval.JudgedPair) eval.Verdict {
			s := similarity[p.A]
			return eval.Verdict{Match: neardup.Match{Similarity: s, Near: s >= threshold}, Found: true, Short: p.Band == "short"}
		}, 0)
		s := eval.SettingOf("rule", r)
		s.Threshold = threshold
		sweep.Settings = append(sweep.Settings, s)
		if threshold == .55 {
			if s.Short.Pairs != 2 || s.Short.Precision.Share != .5 || s.Short.Recall.Share != 1 || s.Long.Recall.Share != .5 {
				t.Errorf("at .55: %+v", s)
			}
		}
	}
	var svg bytes.Buffer
	if err := sweep.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Short texts", "Long texts", "default", "precision", "recall"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("%q is not drawn", want)
		}
	}
	if strings.Contains(svg.String(), "NaN") {
		t.Error("NaN is drawn")
	}
}
