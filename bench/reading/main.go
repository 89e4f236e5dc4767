// Command reading draws pairs for a person to read and scores a method by the
// labels given so far:
//
//	go run -C bench ./reading -set uci_sms -kind reported -n 100
//	go run -C bench ./reading -set uci_sms -kind reported -n 100 -score
//
// Pairs are drawn by a hash of their texts, the smallest ones first: of two
// versions of a method, what both report and draw is the same pairs, so that
// what was read once need not be read again. The first form prints as JSONL
// what is among the n and has no label yet; add label and reason and append the
// lines to docs/reading/SET.jsonl. With -show the pairs are printed to be read:
// long texts as the lines that differ. Kinds are
//
//	reported  pairs that the method calls near, equal clean texts apart
//	removed   documents that dedup removes, with their leaders
//	missed    pairs not called near whose similarity is at least the
//	          threshold less .1: variants, and near misses; each text once
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/shared"
	"github.com/neardup/neardup/methods"
)

// options say which pairs are drawn.
type options struct {
	data, labels string
	set, kind    string
	half         int
	n            int
	score, show  bool
	method       methods.Config
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", shared.Dir(), "folder of the shared data")
	flag.StringVar(&o.labels, "labels", filepath.Join("..", "docs", "reading"), "folder of the labels given so far")
	flag.StringVar(&o.set, "set", "uci_sms", "a set of the shared data")
	flag.StringVar(&o.kind, "kind", "reported", "reported, removed or missed")
	flag.IntVar(&o.half, "half", -1, "0 or 1: only pairs of that half, by another bit of the hash; 0 is for tuning")
	flag.IntVar(&o.n, "n", 100, "how many pairs")
	flag.BoolVar(&o.score, "score", false, "print how many of them are right instead")
	flag.BoolVar(&o.show, "show", false, "print the pairs to be read instead")
	flag.StringVar(&o.method.Name, "method", "", "auto unless given")
	flag.Float64Var(&o.method.Threshold, "threshold", 0, "the method's own unless given")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, o options) error {
	known, err := readLabels(filepath.Join(o.labels, o.set+".jsonl"))
	if err != nil {
		return err
	}
	docs, err := readSet(o.data, o.set)
	if err != nil {
		return err
	}
	drawn, all, err := draw(ctx, docs, o)
	if err != nil {
		return err
	}
	if o.score {
		return score(out, o, drawn, all, known)
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, p := range drawn {
		if _, read := known[p.key()]; read {
			continue
		}
		if o.show {
			err = p.show(out, docs)
		} else {
			err = e.Encode(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// score prints what share of the drawn pairs the reader calls duplicates:
// strictly, a part being none, and without parts and what cannot be told.
func score(out io.Writer, o options, drawn []pair, all int, known map[pairKey]pair) error {
	counts := map[string]int{}
	read, right, scored := 0, 0, 0
	for _, p := range drawn {
		k, found := known[p.key()]
		if !found {
			continue
		}
		read++
		counts[k.Label]++
		positive, counted := k.Positive()
		if counted {
			scored++
		}
		if positive {
			right++
		}
	}
	_, err := fmt.Fprintf(out, "%s %s: %d pairs, %d drawn, %d of them read: %v\nduplicates: %v; without parts and unsure: %v\n",
		o.set, o.kind, all, len(drawn), read, counts, eval.NewRate(right, read), eval.NewRate(right, scored))
	return err
}
