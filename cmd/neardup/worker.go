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
)

// stage is one filter of the worker: what it does, and its flags besides --method and --expect.
type stage struct {
	run   func(*workerVerb, context.Context, worker.Stages) (worker.Counts, error)
	flags string
}

var stages = map[string]stage{
	"contract": {run: filter[*workerVerb](contract[worker.Stages])},
	"tally":    {(*workerVerb).train, "raw input tally"},
	"records":  {(*workerVerb).records, "raw input tally parts"},
	"distinct": {filter[*workerVerb](worker.Stages.Distinct), "parts ranges"},
	"bucket": {func(w *workerVerb, ctx context.Context, s worker.Stages) (worker.Counts, error) {
		if w.packed {
			return s.BucketPacks(ctx, w.stdin, w.stdout, worker.BucketLimits{Most: w.mostCandidates, Hot: w.hot})
		}
		return s.Bucket(ctx, w.stdin, w.stdout, worker.BucketLimits{Most: w.mostCandidates, Hot: w.hot})
	}, "against as-of most-candidates packed hot"},
	"verify": {func(w *workerVerb, ctx context.Context, s worker.Stages) (worker.Counts, error) {
		return s.Verify(ctx, w.stdin, w.stdout, w.conflicts)
	}, "raw input against as-of conflicts"},
	"decide": {func(w *workerVerb, ctx context.Context, s worker.Stages) (worker.Counts, error) {
		limitGarbage(worker.DecideMemory)
		return s.Decide(ctx, w.stdin, w.stdout, w.conflicts)
	}, "raw input against as-of conflicts"},
	"lead": {run: filter[*workerVerb](func(_ worker.Stages, ctx context.Context, in io.Reader, out io.Writer) (worker.Counts, error) {
		return worker.Lead(ctx, in, out)
	})},
	"names": {filter[*workerVerb](worker.Stages.Names), "against as-of"},
	"digest": {run: filter[*workerVerb](func(_ worker.Stages, ctx context.Context, in io.Reader, out io.Writer) (worker.Counts, error) {
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
	name                           string `flags:"-"` // of the stage
	method                         methodFlags
	input                          inputFlags
	expect, against, asOf          string
	mostCandidates                 int64
	hot, parts                     int
	conflicts, raw, packed, ranges bool
	tally                          list
}

func (w *workerVerb) only() string { return "method expect " + stages[w.name].flags }

func (w *workerVerb) do(ctx context.Context, _ []string) error {
	s := stages[w.name]
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
	if w.against == "" {
		counts, err = s.run(w, ctx, all)
	} else {
		err = onFolder(ctx, w.against, func(x *reference.Index) error {
			if err := all.Use(x, w.asOf); err != nil {
				return err
			}
			counts, err = s.run(w, ctx, all)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("worker %s: %w", w.name, err)
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
	for _, name := range w.tally {
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
