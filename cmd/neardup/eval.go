package main

import (
	"encoding/json"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/spf13/cobra"
)

func evalCommand(a *app) *cobra.Command {
	var (
		truth, pairs, decisions string
		o                       eval.Options
		asJSON                  bool
	)
	cmd := &cobra.Command{
		Use:   "eval --truth FILE (--pairs FILE | --decisions FILE) [--at .8]",
		Short: "Measure pairs or decisions against the truth",
		Long: `Compares reported pairs with known ones: recall by band of similarity with 95 %
intervals, precision, agreement of the similarities, and the worst misses and
false pairs. Or decisions with the leader clustering of the exact graph in the
same order: what was wrongly removed, wrongly kept.

The truth is a table "id_a id_b jaccard ..." of every pair at or above some
similarity, or labelled pairs ("id_a id_b label"). Files may be compressed.

` + exitHelp,
		Example: `  neardup pairs --method minhash --threshold .7 docs.jsonl > pairs.tsv
  neardup eval --truth exact_pairs.tsv --pairs pairs.tsv --at .7
  neardup eval --truth exact_pairs.tsv --decisions decisions.jsonl --at .8 --json`,
		Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if truth == "" || (pairs == "") == (decisions == "") {
				return usage("--truth and one of --pairs and --decisions are needed")
			}
			if !(o.At > 0 && o.At <= 1) {
				return usage("--at %v is not in (0, 1]", o.At)
			}
			if pairs != "" {
				r, err := eval.Pairs(truth, pairs, o)
				return report(a, asJSON, r, err)
			}
			r, err := eval.Decisions(truth, decisions, o)
			return report(a, asJSON, r, err)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&truth, "truth", "", "file of true pairs")
	fs.StringVar(&pairs, "pairs", "", "file of reported pairs (id_a id_b similarity)")
	fs.StringVar(&decisions, "decisions", "", "file of decisions (JSONL, from dedup --decisions)")
	fs.Float64Var(&o.At, "at", .8, "threshold that the pairs or decisions were made with")
	fs.Float64Var(&o.Floor, "floor", 0, "similarity from which on the truth lists every pair (default: seen from it)")
	fs.IntVar(&o.Examples, "examples", 10, "how many misses and false pairs to list")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// report prints what was found, as text or as JSON, unless there is an error.
func report(a *app, asJSON bool, r interface{ WriteText(io.Writer) error }, err error) error {
	if err != nil {
		return err
	}
	out := corpus.NewStream(a.stdout)
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.WriteText(out)
	}
	if err != nil {
		return err
	}
	return out.Commit()
}
