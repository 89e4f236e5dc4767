package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

type idf struct {
	*app
	input                      inputFlags
	run                        runFlags `flags:"!config keep per overrides audit"`
	normalize, dictionary, out string
	merge                      []string
	least                      int
}

// check looks at the flags and makes the normaliser and the splitter.
func (i *idf) check(inputs []string) (n text.Normalizer, words keyword.Splitter, err error) {
	switch {
	case i.out == "":
		return n, words, usage("--out FILE is needed")
	case len(inputs) == 0 && len(i.merge) == 0:
		return n, words, usage("INPUT or --merge TABLE is needed")
	}
	if err := i.run.machine(nil); err != nil {
		return n, words, err
	}
	if n, err = text.ParseNormalizer(i.normalize); err != nil {
		return n, words, usage("--normalize: %w", err)
	}
	if i.dictionary == "" {
		words, err = methods.Splitter(nil)
		return n, words, err
	}
	f, err := os.Open(i.dictionary)
	if err != nil {
		return n, words, err
	}
	defer f.Close()
	if words, err = methods.Splitter(f); err != nil {
		return n, words, fmt.Errorf("%s: %w", i.dictionary, err)
	}
	return n, words, nil
}

func (i *idf) do(ctx context.Context, inputs []string) error {
	n, words, err := i.check(inputs)
	if err != nil {
		return err
	}
	return i.batchRun(&i.input, &i.run, inputs, false, func(r *corpus.Reader, rep *reporter) (func() error, error) {
		var sum idfSummary
		tables := slices.Clone(i.merge)
		if r != nil {
			dir, remove, err := heldFolder(i.run.tmp, "neardup-idf-")
			if err != nil {
				return nil, err
			}
			defer func() { _ = remove() }() // temporary
			path, err := i.train(ctx, n, words, dir, rep, &sum)
			if err != nil {
				return nil, err
			}
			tables = append(tables, path)
		}
		out := rep.open(i.out)
		if rep.err != nil {
			return nil, rep.err
		}
		return func() error { return i.summarize(rep, sum) }, keyword.MergeFiles(ctx, out, i.least, tables...)
	})
}

func (i *idf) summarize(rep *reporter, sum idfSummary) error {
	info, err := os.Stat(i.out)
	if err != nil {
		return err
	}
	sum.Bytes = info.Size()
	return rep.summarize(sum, sum.Rejected, func(w io.Writer) {
		documents(w, sum.readCounts)
		if len(i.merge) > 0 {
			fmt.Fprintf(w, "merged      %d tables\n", len(i.merge))
		}
		fmt.Fprintf(w, "table       %s, %s bytes\n", oneLine(i.out), grouped(sum.Bytes))
		rep.effort(w)
	})
}

type idfSummary struct {
	readCounts       // in this run, without those of merged tables
	Bytes      int64 `json:"bytes"` // of the table
}

// train counts the words of all documents and returns the path of the table, in dir.
func (i *idf) train(ctx context.Context, clean neardup.Cleaner, words keyword.Splitter, dir string, rep *reporter, sum *idfSummary) (path string, err error) {
	trainer := keyword.NewTrainer(words, keyword.TrainOptions{Memory: int64(i.run.memory) / 2, Dir: dir})
	defer func() { err = errors.Join(err, trainer.Close()) }()
	add := func(_ *corpus.Decoder, _ corpus.Item, doc *neardup.Document) (failed error, _ error) {
		return trainer.Add(clean.Clean(doc.Text)), nil
	}
	if err := eachDocument(ctx, rep, "count", &sum.readCounts, add, func(failed error) error { return failed }); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "table-")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(trainer.WriteTable(ctx, f), f.Close())
}
