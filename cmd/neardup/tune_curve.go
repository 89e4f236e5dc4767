package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

// curveFloor is the least threshold that is looked at.
const curveFloor = .3

// curve measures thresholds of a method on pairs that people have labelled.
func (t *tune) curve(ctx context.Context, inputs []string) error {
	c, err := t.method.choice()
	switch {
	case err != nil:
		return err
	case c.Get("threshold") != "":
		return usage("--threshold is what tune proposes")
	case !c.Takes("threshold") || c.Get("verify") == "off":
		return usage("--method %s has no threshold of similarity to choose", c.Name)
	}
	m, n, err := t.method.at(curveFloor)
	if err != nil {
		return err
	}
	pairs, _, err := t.sample(ctx, inputs)
	if err != nil {
		return err
	}
	found, bias := scored(m, n, pairs)
	r := eval.Curve(m.Spec().String(), found, curveFloor, eval.Aim{Precision: t.precision, Recall: t.recall})
	if c.Name == "auto" {
		r.Bias = bias
	}
	if t.out != "" {
		if err := writeFile(t.out, func(w io.Writer) error { return t.configuration(w, r) }); err != nil {
			return err
		}
	}
	return t.told(r)
}

// scored compares pairs, and returns the bits by which their probabilities are off.
func scored(m neardup.Method, n text.Normalizer, pairs []eval.JudgedPair) (out []eval.Scored, bias float64) {
	var said []float64
	var same []bool
	for _, p := range pairs {
		positive, counts := p.Positive()
		if !counts {
			continue
		}
		s := eval.Scored{Positive: positive}
		v := decide(m, n, p)
		if v.Near && v.Found {
			s.Similarity = v.Similarity
		}
		if v.Similarity > 0 && v.Basis == methods.Basis {
			said, same = append(said, v.Similarity), append(same, positive)
		}
		out = append(out, s)
	}
	return out, eval.Shift(said, same)
}

// configuration writes what --config takes: the method with its settings, and the threshold.
func (t *tune) configuration(w io.Writer, r eval.CurveReport) error {
	p := r.Proposed
	var b strings.Builder
	fmt.Fprintf(&b, "# chosen from %d pairs that are duplicates and %d that are not: precision %v, recall %v\n", r.Positive, r.Negative, p.Precision, p.Recall)
	if r.Few != "" {
		fmt.Fprintf(&b, "# %s\n", r.Few)
	}
	spec := t.method.name
	t.method.fs.Visit(func(f *pflag.Flag) {
		if f.Name != "method" && f.Name != "threshold" && !slices.Contains(ofFiles, f.Name) {
			spec += " " + f.Name + "=" + f.Value.String()
		}
	})
	if r.Bias != 0 && t.precision == 0 {
		fmt.Fprintf(&b, "method = %q\n", fmt.Sprintf("%s bias=%v", spec, r.Bias))
	} else {
		fmt.Fprintf(&b, "method = %q\nthreshold = %v\n", spec, p.Threshold)
	}
	for _, name := range ofFiles {
		if f := t.method.fs.Lookup(name); f.Changed {
			fmt.Fprintf(&b, "%s = %q\n", name, f.Value)
		}
	}
	if t.method.normalize != "default" {
		fmt.Fprintf(&b, "normalize = %q\n", t.method.normalize)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
