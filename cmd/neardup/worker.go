package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/worker"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// stage is one filter of the worker.
type stage struct {
	verb, short string
	run         func(*workerVerb, context.Context, worker.Stages) (worker.Counts, error)
}

var stages = []stage{
	{"contract", "Print what driver and workers must agree on", filter[*workerVerb](contract[worker.Stages])},
	{"tally", "Documents to counts, for methods that choose keys by them (ngram)", (*workerVerb).train},
	{"records", "Documents to the digests of their clean texts and their keys", (*workerVerb).records},
	{"distinct", "Packs of documents to the postings of distinct texts, and copies", filter[*workerVerb](worker.Stages.Distinct)},
	{"bucket", "Postings, those of a key together, to candidates", func(w *workerVerb, ctx context.Context, s worker.Stages) (worker.Counts, error) {
		if w.packed {
			return s.BucketPacks(ctx, w.stdin, w.stdout, w.limits)
		}
		return s.Bucket(ctx, w.stdin, w.stdout, w.limits)
	}},
	{"verify", "Blocks of texts and candidates to edges", func(w *workerVerb, ctx context.Context, s worker.Stages) (worker.Counts, error) {
		return s.Verify(ctx, w.stdin, w.stdout, w.conflicts)
	}},
	{"decide", "Documents of hot buckets, in order, to the edges that decide", func(w *workerVerb, ctx context.Context, s worker.Stages) (worker.Counts, error) {
		limitGarbage(worker.DecideMemory)
		return s.Decide(ctx, w.stdin, w.stdout, w.conflicts)
	}},
	{"lead", "Edges in order to those that decide", filter[*workerVerb](func(_ worker.Stages, ctx context.Context, in io.Reader, out io.Writer) (worker.Counts, error) {
		return worker.Lead(ctx, in, out)
	})},
	{"names", "Places of documents of an index to their ids", filter[*workerVerb](worker.Stages.Names)},
	{"digest", "Decisions, or digests of parts, to the digest of all", filter[*workerVerb](func(_ worker.Stages, ctx context.Context, in io.Reader, out io.Writer) (worker.Counts, error) {
		return worker.Digest(ctx, in, out)
	})},
}

// filter is the stage of a verb that needs nothing but the lines.
func filter[V interface{ streams() (io.Reader, io.Writer) }, S any](run func(S, context.Context, io.Reader, io.Writer) (worker.Counts, error)) func(V, context.Context, S) (worker.Counts, error) {
	return func(v V, ctx context.Context, s S) (worker.Counts, error) {
		in, out := v.streams()
		return run(s, ctx, in, out)
	}
}

func (a *app) streams() (io.Reader, io.Writer) { return a.stdin, a.stdout }

func contract[S interface{ Contract() string }](s S, _ context.Context, _ io.Reader, out io.Writer) (worker.Counts, error) {
	_, err := fmt.Fprintln(out, s.Contract())
	return worker.Counts{Out: 1}, err
}

// mostParts bounds the table of packs that are being filled.
const mostParts = 1 << 20

type workerVerb struct {
	*app
	method    methodFlags
	expect    string
	limits    worker.BucketLimits
	conflicts bool
	counts    []string
	raw       bool
	packed    bool
	parts     int
	ranges    bool
	input     inputFlags
	index     string // what is decided against; "": nothing
	asOf      string
}

// addStages adds the stages to their verb.
func (a *app) addStages(cmd *cobra.Command) {
	for _, s := range stages {
		w := &workerVerb{app: a}
		sub := &cobra.Command{
			Use: s.verb, Short: s.short, Args: expects(),
			RunE: func(cmd *cobra.Command, _ []string) error { return w.do(cmd.Context(), s) },
		}
		w.method.add(sub.Flags())
		bind(sub.Flags(), "worker", flags{"expect": &w.expect})
		switch s.verb {
		case "bucket":
			w.addIndex(sub.Flags())
			bind(sub.Flags(), "worker", flags{"most-candidates": &w.limits.Most, "packed": &w.packed, "hot": &w.limits.Hot})
		case "distinct":
			bind(sub.Flags(), "worker", flags{"parts": &w.parts, "ranges": &w.ranges})
		case "names":
			w.addIndex(sub.Flags())
		case "verify", "decide":
			w.addRaw(sub.Flags())
			w.addIndex(sub.Flags())
			bind(sub.Flags(), "worker", flags{"conflicts": &w.conflicts})
		case "tally", "records":
			w.addRaw(sub.Flags())
			if s.verb == "records" {
				bind(sub.Flags(), "records", flags{"parts": &w.parts})
			}
			sub.Flags().StringSliceVar(&w.counts, "tally", nil, "files of the stage tally, which are added up: for records those of all parts")
		}
		cmd.AddCommand(sub)
	}
}

func (w *workerVerb) addRaw(fs *pflag.FlagSet) {
	bind(fs, "worker", flags{"raw": &w.raw})
	w.input.add(fs)
}

func (w *workerVerb) do(ctx context.Context, s stage) error {
	m, n, err := w.method.method()
	if err != nil {
		return err
	}
	if w.parts < 0 || w.parts > mostParts {
		return usage("--parts %d is not between 1 and %d", w.parts, mostParts)
	}
	all := worker.Stages{Method: m, Clean: n, Parts: w.parts, Ranges: w.ranges}
	if w.raw {
		if all.Decode, _, err = w.input.lines(); err != nil {
			return err
		}
	}
	if w.expect != "" {
		if err := all.Check(w.expect); err != nil {
			return err
		}
	}
	var counts worker.Counts
	if w.index == "" {
		counts, err = s.run(w, ctx, all)
	} else {
		err = onFolder(ctx, w.index, func(x *reference.Index) error {
			if err := all.Use(x, w.asOf); err != nil {
				return err
			}
			counts, err = s.run(w, ctx, all)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("worker %s: %w", s.verb, err)
	}
	return json.NewEncoder(w.stderr).Encode(counts)
}

// lines reads lines that come without their file.
func (f *inputFlags) lines() (func([]byte, *neardup.Document) (string, error), *corpus.LineDecoder, error) {
	opt, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	d, err := corpus.NewLineDecoder(opt)
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	return func(line []byte, doc *neardup.Document) (string, error) {
		err := d.Decode(line, doc)
		var reject *corpus.RejectError
		switch {
		case errors.Is(err, corpus.ErrBlank):
			return "", worker.ErrBlank
		case errors.As(err, &reject):
			return reject.Reason, nil
		}
		return "", err
	}, d, nil
}

func (w *workerVerb) train(ctx context.Context, s worker.Stages) (worker.Counts, error) {
	files, done, err := w.tallies()
	defer done()
	if err != nil {
		return worker.Counts{}, err
	}
	return s.Train(ctx, w.stdin, w.stdout, files...)
}

// tallies opens the files of counts.
func (w *workerVerb) tallies() (files []io.Reader, done func(), err error) {
	var opened []*os.File
	done = func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	for _, name := range w.counts {
		f, err := os.Open(name)
		if err != nil {
			return nil, done, err
		}
		opened, files = append(opened, f), append(files, f)
	}
	return files, done, nil
}

func (w *workerVerb) records(ctx context.Context, s worker.Stages) (worker.Counts, error) {
	files, done, err := w.tallies()
	defer done()
	if err != nil {
		return worker.Counts{}, err
	}
	if len(files) > 0 {
		if s, err = s.Trained(files...); err != nil {
			return worker.Counts{}, err
		}
	}
	if s.Parts > 0 {
		return s.RecordsInPacks(ctx, w.stdin, w.stdout)
	}
	return s.Records(ctx, w.stdin, w.stdout)
}
