package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/passage"
	"github.com/neardup/neardup/worker"
)

// spansVerb is one stage of passages.
type spansVerb struct {
	*app
	name   string `flags:"-"`
	cuts   cutFlags
	input  inputFlags
	expect string
	raw    bool
	parts  int
	lines  *corpus.LineDecoder // with raw
}

var spansStages = map[string]func(*spansVerb, context.Context, worker.Passages) (worker.Counts, error){
	"contract": filter[*spansVerb](contract[worker.Passages]),
	"anchors":  filter[*spansVerb](worker.Passages.Anchors),
	"again":    filter[*spansVerb](worker.Passages.Again),
	"contexts": filter[*spansVerb](worker.Passages.Contexts),
	"matches":  filter[*spansVerb](worker.Passages.Matches),
	"join":     filter[*spansVerb](worker.Passages.Spans),
	"sources":  filter[*spansVerb](worker.Passages.Sources),
	"cut":      (*spansVerb).cut,
}

func (v *spansVerb) do(ctx context.Context, _ []string) error {
	p, err := v.stages()
	if err != nil {
		return err
	}
	counts, err := spansStages[v.name](v, ctx, p)
	if err != nil {
		return fmt.Errorf("worker passages %s: %w", v.name, err)
	}
	return json.NewEncoder(v.stderr).Encode(counts)
}

// steps checks the flags that say what is compared.
func (c *cutFlags) steps() (*passage.Steps, error) {
	if c.near {
		return nil, usage("--near is not for Spark: equal passages and units are found there")
	}
	cfg, err := c.compared()
	if err != nil {
		return nil, err
	}
	cfg.Memory, cfg.Workers = worker.PassagesMemory, 1
	return passage.NewSteps(cfg)
}

func (v *spansVerb) stages() (p worker.Passages, err error) {
	if v.parts < 1 || v.parts > mostParts {
		return p, usage("--parts %d is not between 1 and %d", v.parts, mostParts)
	}
	if p.Steps, err = v.cuts.steps(); err != nil {
		return p, err
	}
	least := v.cuts.least
	if v.cuts.units() != "" && !v.cuts.fs.Changed("least") {
		least = "any"
	}
	p.Parts, p.Spec = v.parts, fmt.Sprintf("unit=%s least=%s all=%t whole=%s mark=%q", v.cuts.unit, least, v.cuts.all, v.cuts.whole, v.cuts.mark)
	if v.raw {
		if p.Decode, v.lines, err = v.input.lines(); err != nil {
			return p, err
		}
	}
	if v.expect != "" {
		err = p.Check(v.expect)
	}
	return p, err
}

// cut decides as passageWriter does.
func (v *spansVerb) cut(ctx context.Context, p worker.Passages) (worker.Counts, error) {
	cutter, err := v.cuts.cutter()
	if err != nil {
		return worker.Counts{}, err
	}
	var replace func([]byte, string) ([]byte, error)
	if v.raw {
		if err := v.lines.CanReplace(); err != nil {
			return worker.Counts{}, err
		}
		replace = v.lines.Replace
	}
	return p.Cut(ctx, v.stdin, v.stdout, func(doc neardup.Document, spans []passage.Span) (worker.Cut, error) {
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		enc.SetEscapeHTML(false)
		w := passageWriter{passages: &passages{cutFlags: v.cuts}, cutter: cutter, spans: enc.Encode}
		c, err := w.decide(&doc, spans)
		state := worker.Untouched
		switch {
		case c.empty():
			state = worker.LeftOut
		case c.cut > 0:
			state = worker.Changed
		}
		return worker.Cut{
			State: state, Left: c.left, Spans: strings.TrimSuffix(lines.String(), "\n"), Lines: w.Spans,
			Repeated: w.Repeated, Cut: w.Cut, Within: w.Within, Headings: w.Headings,
		}, err
	}, replace)
}
