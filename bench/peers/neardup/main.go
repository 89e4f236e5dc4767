// Command neardup is neardup's side of bench/peers, and prepares and
// judges what all sides do.
//
//	neardup prepare DIR          corpora as plain JSONL (id, text) in DIR
//	neardup run JOB CORPUS [PAIRS]   one measured run, as in peer.py
//	neardup score TRUTH PAIRS    recall and precision of candidate pairs at .7, as JSON
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/neardup/neardup/eval"
)

func main() {
	debug.SetGCPercent(200) // as the command does
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "neardup:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: neardup prepare DIR | run JOB CORPUS [PAIRS] | score TRUTH PAIRS")

func run(args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	switch verb, rest := args[0], args[1:]; {
	case verb == "prepare" && len(rest) == 1:
		return prepare(rest[0])
	case verb == "run" && len(rest) == 2:
		return measure(rest[0], rest[1], "")
	case verb == "run" && len(rest) == 3:
		return measure(rest[0], rest[1], rest[2])
	case verb == "score" && len(rest) == 2:
		return score(rest[0], rest[1])
	}
	return errUsage
}

func score(truth, pairs string) error {
	report, err := eval.Pairs(truth, pairs, eval.Options{At: .7})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}
