package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/spf13/pflag"
)

type evaluation struct {
	*app
	truth, pairs, decisions string
	at, floor               float64
	examples                int
	json                    bool
	judged
}

// ready lets --examples be below 0.
func (e *evaluation) ready(fs *pflag.FlagSet) { _ = fs.SetAnnotation("examples", signed, nil) }

func (e *evaluation) do(ctx context.Context, inputs []string) error {
	if e.judged.judged != "" {
		if e.truth != "" || e.pairs != "" || e.decisions != "" {
			return usage("--judged measures a method: it takes none of --truth, --pairs and --decisions")
		}
		return e.measure(ctx, e.app, inputs, e.examples, e.json)
	}
	if err := expects()(nil, inputs); err != nil {
		return err
	}
	if e.truth == "" || (e.pairs == "") == (e.decisions == "") {
		return usage("--truth and one of --pairs and --decisions are needed, or --judged")
	}
	if !(e.at > 0 && e.at <= 1) {
		return usage("--at %v is not in (0, 1]", e.at)
	}
	opt := eval.Options{At: e.at, Floor: e.floor, Examples: e.examples}
	if e.pairs != "" {
		r, err := eval.Pairs(e.truth, e.pairs, opt)
		return printed(e.app, e.json, r, err)
	}
	r, err := eval.Decisions(e.truth, e.decisions, opt)
	return printed(e.app, e.json, r, err)
}

// indented prints a result as JSON that people read.
func indented(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(result)
}

// printed prints what was found, as text or as JSON, unless there is an error.
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
