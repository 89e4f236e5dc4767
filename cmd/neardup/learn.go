package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/audit"
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
		pairs, err := t.input.judgedPairs(ctx, t.app, inputs, files...)
		for _, p := range pairs {
			x, y := n.Clean(p.TextA), n.Clean(p.TextB)
			same := p.Replaceable(len(x), len(y))
			if same == nil || x == y {
				continue
			}
			for side, texts := range [2][2]string{{x, y}, {y, x}} {
				if q, ok := methods.Observe(m, texts[0], texts[1]); ok {
					l.Examples = append(l.Examples, eval.Observation{
						X: q.X, Same: same[side], Source: p.Set, Short: q.Short, Made: made, Part: p.Label == "part",
					})
				}
			}
		}
		return err
	}
	if err := cmp.Or(add(t.judged, false), add(t.made, true)); err != nil {
		return err
	}
	l.Weigh(madeShare)
	learned := methods.Learned(l.Fit())
	learned.Slots = prior.Slots
	if err := writeFile(t.weights, func(w io.Writer) error { return learned.Write(w) }); err != nil {
		return err
	}
	threshold := t.method.cfg.Threshold
	if threshold == 0 {
		threshold = methods.DefaultProbability
	}
	return printed(t.app, t.json, l.LeaveOneOut(threshold), nil)
}

// mostSlots bounds a table.
const mostSlots = 10_000

// slotsFound is what is told of slots.
type slotsFound struct {
	Texts int               `json:"texts"` // that differ from another a little
	Slots []audit.Recurring `json:"slots"`
}

// WriteText writes the slots, those of the most texts first.
func (f slotsFound) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s in %s that differ a little from another\n", counted(int64(len(f.Slots)), "slot"), counted(int64(f.Texts), "text"))
	for _, r := range f.Slots[:min(len(f.Slots), recurringListed)] {
		fmt.Fprintf(w, "%10s  %s (%s of them removed so far)\n", grouped(int64(r.Texts())), r.Difference, grouped(int64(r.Removed)))
	}
	return nil
}

// slots learns from a corpus which differences tell its texts apart.
func (t *tune) slots(ctx context.Context) error {
	if t.method.cfg.Name != "auto" {
		return usage("--corpus is for auto: --method %s weighs no evidence", t.method.cfg.Name)
	}
	m, n, err := t.method.method()
	if err != nil {
		return err
	}
	table, err := t.priorWeights()
	if err != nil {
		return err
	}
	r, err := t.input.openFor(t.app, t.corpus, "", t.weights)
	if err != nil {
		return err
	}
	defer r.Close()
	cfg := batch.Config{Clean: n, Method: m, Audit: &audit.Config{Recurring: mostSlots, RecurringOf: 1 << 20}}
	sum, err := batch.Dedup(ctx, newSource(r), cfg, func(batch.Outcome) error { return nil })
	if err != nil {
		return err
	}
	if sum.Audit == nil {
		return fmt.Errorf("--corpus: %s, too few to count what recurs", counted(sum.Documents, "text"))
	}
	found := slotsFound{Texts: sum.Audit.RecurringOf, Slots: []audit.Recurring{}}
	table.Slots = evidence.Slots{}
	for _, d := range sum.Audit.Recurring {
		if d.Texts() >= evidence.LeastSlot {
			table.Slots[d.Difference] = d.Texts()
			found.Slots = append(found.Slots, d)
		}
	}
	if err := writeFile(t.weights, table.Write); err != nil {
		return err
	}
	return printed(t.app, t.json, found, nil)
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
