package main

import (
	"context"
	"io"
	"os"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/methods"
)

// learn learns the weights of auto from pairs that people have judged, and from made ones.
func (t *tune) learn(ctx context.Context, inputs []string) error {
	if t.method.cfg.Name != "auto" {
		return usage("--weights are of auto: --method %s has none", t.method.cfg.Name)
	}
	m, n, err := t.method.method()
	if err != nil {
		return err
	}
	prior, err := t.priorWeights()
	if err != nil {
		return err
	}
	l := eval.Lesson{Signs: methods.Signs(), Prior: methods.WeightsOf(prior)}
	add := func(files []string, made bool) error {
		for _, file := range files {
			pairs, err := eval.ReadJudged(file)
			if err == nil {
				err = (&judged{app: t.app, file: file, input: t.input}).texts(ctx, inputs, pairs)
			}
			if err != nil {
				return err
			}
			for _, p := range pairs {
				x, y := n.Clean(p.TextA), n.Clean(p.TextB)
				if same := p.Replaceable(len(x), len(y)); same != nil && x != y {
					for side, texts := range [2][2]string{{x, y}, {y, x}} {
						if q, ok := methods.Observe(m, texts[0], texts[1]); ok {
							l.Examples = append(l.Examples, eval.Observation{
								X: q.X, Same: same[side], Source: p.Set, Short: q.Short, Made: made, Part: p.Label == "part",
							})
						}
					}
				}
			}
		}
		return ctx.Err()
	}
	if err := add(t.judged, false); err != nil {
		return err
	}
	if err := add(t.made, true); err != nil {
		return err
	}
	l.Weigh(madeShare)
	learned := methods.Learned(l.Fit())
	if err := writeFile(t.weights, func(w io.Writer) error { return learned.Write(w) }); err != nil {
		return err
	}
	threshold := t.method.cfg.Threshold
	if threshold == 0 {
		threshold = methods.DefaultProbability
	}
	return printed(t.app, t.json, l.LeaveOneOut(threshold), nil)
}

// madeShare is what all made pairs count, as a part of what the judged ones do.
const madeShare = .3

// priorWeights are those that are moved no more than the pairs ask for.
func (t *tune) priorWeights() (evidence.Weights, error) {
	switch t.prior {
	case "none":
		return evidence.Weights{}, nil
	case "shipped":
		return evidence.Shipped()
	}
	return readWeights(t.prior)
}

// readWeights reads a table that tune --weights wrote.
func readWeights(path string) (evidence.Weights, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return evidence.Weights{}, err
	}
	w, err := evidence.ReadWeights(string(data))
	if err != nil {
		return w, usage("%s: %w", path, err)
	}
	return w, nil
}
