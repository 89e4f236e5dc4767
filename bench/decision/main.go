// Command decision learns the weights of the default decision from labelled pairs, and measures them. Each family of
// sources is measured by weights that were learned without it:
//
//	go run -C bench ./decision learn         # prints what evidence.Shipped holds
//	go run -C bench ./decision table         # by genre, beside other decisions, with calibration
//	go run -C bench ./decision reports       # pairs rebuilt from public reports, in both orders
//	go run -C bench ./decision ablate        # what each quantity is worth
//	go run -C bench ./decision bias          # what twenty labels of a source are worth
//	go run -C bench ./decision kinds         # made pairs of signs, typography and negation
//
// The labels are those of the shared data, docs/reading and bench/reading, and pairs made by bench/made. With -data
// "$NEARDUP_TEST_DATA:FOLDER", it also measures the sets that bench/reading/fresh/fetch.py fetches into FOLDER. They are
// never used for learning. Tables are Markdown on standard output.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/methods"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "decision:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("decision", flag.ContinueOnError)
	data := flags.String("data", shared.Dir(), "folders of labelled sets, separated as in PATH")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.Arg(0) == "kinds" {
		return printKinds(out)
	}
	commands := map[string]func(*labels) error{
		"table":   func(l *labels) error { return l.table(out) },
		"reports": func(l *labels) error { return l.reports(out, filepath.SplitList(*data)[0]) },
		"ablate":  func(l *labels) error { return l.ablate(out) },
		"bias":    func(l *labels) error { return l.bias(out) },
		"learn":   func(l *labels) error { return printWeights(out, l.lesson().Fit()) },
	}
	do := commands[flags.Arg(0)]
	if do == nil {
		return fmt.Errorf("command %q: not known (want learn, table, reports, ablate, bias or kinds)", flags.Arg(0))
	}
	l, err := load(filepath.SplitList(*data))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "decision: %d pairs of %d families; %d without texts, %d equal once cleaned, %d without a label\n",
		len(l.pairs), l.families(), l.missing, l.equal, l.unsure)
	return do(l)
}

func newMethod() (neardup.Method, error) { return methods.New("auto") }

// printWeights prints the weight of each quantity in bits.
func printWeights(out io.Writer, weights []float64) error {
	for k, w := range weights {
		if _, err := fmt.Fprintf(out, "%s: %.4f\n", evidence.Feature(k), w/math.Ln2); err != nil {
			return err
		}
	}
	return nil
}
