// Command neardup runs neardup in bench/peers, and prepares the corpora for all programs.
//
//	neardup prepare DIR          corpora as plain JSONL (id, text) in DIR
//	neardup run JOB CORPUS [PAIRS]   one measured run, as in peer.py
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	debug.SetGCPercent(200) // the same setting as the command
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "neardup:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: neardup prepare DIR | run JOB CORPUS [PAIRS]")

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
	}
	return errUsage
}
