// Command cmd writes pairs of texts that differ by a change with a known meaning:
//
//	go run -C bench ./made/cmd -half a -out FOLDER
//	neardup eval --judged FOLDER/pairs.tsv
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/neardup/neardup/bench/made"
	"github.com/neardup/neardup/internal/test/shared"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "made:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var o made.Options
	flags := flag.NewFlagSet("made", flag.ContinueOnError)
	flags.StringVar(&o.Data, "data", shared.Dir(), "folder of the shared data")
	flags.Uint64Var(&o.Seed, "seed", 1, "the same seed gives the same pairs")
	flags.StringVar(&o.Half, "half", "", `"a" or "b": words and texts of one half only, no word or text being of both`)
	flags.IntVar(&o.Most, "most", 60, "pairs of a class, language and length")
	from := flags.String("sources", "", "folders of the shared data whose texts are taken, with commas (default all)")
	out := flags.String("out", "", "folder to write pairs.tsv and docs.jsonl into")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("say with -out where to write")
	}
	if *from != "" {
		o.Sources = strings.Split(*from, ",")
	}
	pairs, err := made.Make(o)
	if err != nil {
		return err
	}
	return made.Write(*out, pairs)
}
