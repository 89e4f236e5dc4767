package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

type evaluation struct {
	*app
	truth, pairs, decisions string
	at, floor               float64
	examples                int
	json                    bool
	judged                  string // pairs that people have judged, to measure the method against
	input                   inputFlags
	method                  methodFlags
}

func (e *evaluation) do(ctx context.Context, inputs []string) error {
	if e.judged != "" {
		if e.truth != "" || e.pairs != "" || e.decisions != "" {
			return usage("--judged cannot be combined with --truth, --pairs or --decisions")
		}
		return e.measure(ctx, inputs)
	}
	if err := expects()(nil, inputs); err != nil {
		return err
	}
	if e.truth == "" || (e.pairs == "") == (e.decisions == "") {
		return usage("nothing to measure (want --truth with --pairs or --decisions, or --judged)")
	}
	opt := eval.Options{At: e.at, Floor: e.floor, Examples: e.examples}
	if e.pairs != "" {
		r, err := eval.Pairs(e.truth, e.pairs, opt)
		return printed(e.app, e.json, r, err)
	}
	r, err := eval.Decisions(e.truth, e.decisions, opt)
	return printed(e.app, e.json, r, err)
}

func indented(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(result)
}

func printed(a *app, asJSON bool, r interface{ WriteText(io.Writer) error }, err error) error {
	if err != nil {
		return err
	}
	out := corpus.NewStream(a.stdout)
	if asJSON {
		err = indented(out, r)
	} else {
		err = r.WriteText(out)
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

func (e *evaluation) measure(ctx context.Context, inputs []string) error {
	m, n, err := e.method.method()
	if err != nil {
		return err
	}
	pairs, err := e.input.judgedPairs(ctx, e.app, inputs, e.judged)
	r := eval.Judged(pairs, func(p eval.JudgedPair) eval.Verdict { return decide(m, n, p) }, e.examples)
	return printed(e.app, e.json, r, err)
}

// fill adds the missing texts of pairs from the inputs, using the first document with an id. It calls others,
// unless nil, with the texts of documents that no pair lacks.
func (f *inputFlags) fill(ctx context.Context, a *app, inputs []string, pairs []eval.JudgedPair, others func(text string)) error {
	missing := eval.MissingTexts(pairs)
	if len(inputs) > 0 && (len(missing) > 0 || others != nil) {
		err := f.each(ctx, a, inputs, func(doc *neardup.Document) bool {
			places := missing[doc.ID]
			for _, place := range places {
				*place = cmp.Or(*place, doc.Text)
			}
			if len(places) == 0 && others != nil {
				others(doc.Text)
			}
			return true
		})
		if err != nil {
			return err
		}
		missing = eval.MissingTexts(pairs)
	}
	if len(missing) > 0 {
		return fmt.Errorf("no text of %s, for example %q", counted(int64(len(missing)), "document"), slices.Min(slices.Collect(maps.Keys(missing))))
	}
	return nil
}

func (f *inputFlags) judgedPairs(ctx context.Context, a *app, inputs []string, files ...string) (pairs []eval.JudgedPair, err error) {
	for _, file := range files {
		of, err := eval.ReadJudged(file)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, of...)
	}
	if err := f.fill(ctx, a, inputs, pairs, nil); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	return pairs, nil
}

// each calls do with every readable document of the inputs until do returns false.
func (f *inputFlags) each(ctx context.Context, a *app, inputs []string, do func(*neardup.Document) (more bool)) error {
	r, err := f.open(a, inputs, "")
	if err != nil {
		return err
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			if !do(doc) {
				return nil
			}
		case corpus.Rejected(err) == nil:
			return err
		}
	}
	return nil
}

// decide decides a pair like a batch of these two documents.
func decide(m neardup.Method, n text.Normalizer, p eval.JudgedPair) eval.Verdict {
	x, y := n.Clean(p.TextA), n.Clean(p.TextB)
	match := verdict(m, x, y)
	return eval.Verdict{
		Match: match, Found: x == y || meet(m, x, y),
		Short: min(methods.Length(x), methods.Length(y)) < 2*methods.DefaultLimit,
		Sure:  match.Basis == neardup.BasisEqual || match.Basis == methods.BasisSure,
	}
}

// meet reports whether a search would compare two texts. A probe key of one must be an index key of the
// other, and the sketches must not rule the pair out.
func meet(m neardup.Method, x, y string) bool {
	var a, b neardup.Record
	m.Record(x, &a)
	m.Record(y, &b)
	return m.Plausible(a.Sketch, b.Sketch) && slices.ContainsFunc(b.Probes(), func(key uint64) bool { return slices.Contains(a.Index, key) })
}
