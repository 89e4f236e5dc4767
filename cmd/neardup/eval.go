package main

import (
	"encoding/json"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	cmd := &cobra.Command{
		Use:   "eval (--truth FILE (--pairs FILE | --decisions FILE) | --judged FILE [INPUT...])",
		Short: "Measure pairs or decisions against the truth, or a method against readers",
		Long: `Compares reported pairs with known ones: recall by band of similarity with 95 %
intervals, precision, agreement of the similarities, and the worst misses and
false pairs. Or decisions with the leader clustering of the exact graph in the
same order: what was wrongly removed, wrongly kept.

The truth is a table "id_a id_b jaccard ..." of every pair at or above some
similarity, or labelled pairs ("id_a id_b label"). Files may be compressed.

With --judged it asks the method (--method and its flags) about pairs that
people have read, and prints precision and recall of what it calls duplicates
by length and set, and what becomes of each label. The labels are same and
version (duplicates), facts and other (not), part and unsure (not scored).
FILE is JSONL or a table with the columns set, id_a, id_b, label, band and, or
not, text_a and text_b; texts it lacks are found in the files beside it, in
../SET/docs.jsonl, or in INPUT.

` + exitHelp,
		Example: `  neardup pairs --method minhash --threshold .7 docs.jsonl > pairs.tsv
  neardup eval --truth exact_pairs.tsv --pairs pairs.tsv --at .7
  neardup eval --truth exact_pairs.tsv --decisions decisions.jsonl --at .8 --json
  neardup eval --judged judged_pairs.tsv
  neardup eval --judged mine.jsonl --method minhash --threshold .7 --examples -1`,
		RunE: e.do,
	}
	fs := cmd.Flags()
	grouping(fs, inputGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&e.truth, "truth", "", "file of true pairs")
		fs.StringVar(&e.pairs, "pairs", "", "file of reported pairs (id_a id_b similarity)")
		fs.StringVar(&e.decisions, "decisions", "", "file of decisions (JSONL, from dedup --decisions)")
		fs.Float64Var(&e.opt.At, "at", .8, "threshold that the pairs or decisions were made with")
		fs.Float64Var(&e.opt.Floor, "floor", 0, "similarity from which on the truth lists every pair (default: seen from it)")
	})
	grouping(fs, outputGroup, func(fs *pflag.FlagSet) {
		fs.IntVar(&e.opt.Examples, "examples", 10, "how many misses and false pairs to list (-1: with --judged all, else none)")
		fs.BoolVar(&e.json, "json", false, "print JSON")
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
