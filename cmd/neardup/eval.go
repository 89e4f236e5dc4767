package main

import (
	"encoding/json"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/spf13/cobra"
)

// evaluation is what the command eval was asked.
type evaluation struct {
	*app
	truth, pairs, decisions string
	opt                     eval.Options
	json                    bool
	judged                  judged
}

func evalCommand(a *app) *cobra.Command {
	e := &evaluation{app: a, judged: judged{app: a}}
	cmd := verb("eval", nil, e.do)
	fs := cmd.Flags()
	bind(fs, "eval", flags{
		"truth": &e.truth, "pairs": &e.pairs, "decisions": &e.decisions, "at": &e.opt.At, "floor": &e.opt.Floor,
		"examples": &e.opt.Examples, "json": &e.json,
	})
	_ = fs.SetAnnotation("examples", signed, nil) // the flag is there
	e.judged.add(fs)
	return cmd
}

func (e *evaluation) do(cmd *cobra.Command, inputs []string) error {
	if e.judged.file != "" {
		if e.truth != "" || e.pairs != "" || e.decisions != "" {
			return usage("--judged measures a method: it takes none of --truth, --pairs and --decisions")
		}
		return e.judged.do(cmd.Context(), inputs, e.opt.Examples, e.json)
	}
	if err := expects()(cmd, inputs); err != nil {
		return err
	}
	if e.truth == "" || (e.pairs == "") == (e.decisions == "") {
		return usage("--truth and one of --pairs and --decisions are needed, or --judged")
	}
	if !(e.opt.At > 0 && e.opt.At <= 1) {
		return usage("--at %v is not in (0, 1]", e.opt.At)
	}
	if e.pairs != "" {
		r, err := eval.Pairs(e.truth, e.pairs, e.opt)
		return printed(e.app, e.json, r, err)
	}
	r, err := eval.Decisions(e.truth, e.decisions, e.opt)
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
