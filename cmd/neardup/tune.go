package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
)

type tune struct {
	*app
	input              inputFlags
	method             methodFlags
	judged             list
	labelled, svg, out string
	recall, precision  float64
	most               int
	json               bool
}

func (t *tune) do(ctx context.Context, inputs []string) error {
	if len(t.judged) == 0 {
		t.method.usual = "ngram"
	}
	c, err := t.method.choice()
	if err != nil {
		return err
	}
	if (len(t.judged) > 0) == (t.labelled != "") {
		return usage("no labelled pairs (want --judged or --labelled)")
	}
	if len(t.judged) > 0 || c.Name != "ngram" || t.out != "" || t.precision != 0 {
		return t.curve(ctx, inputs)
	}
	r, err := t.ngram(ctx, inputs)
	if err != nil {
		return err
	}
	return t.told(r)
}

func (t *tune) told(r interface {
	WriteText(w io.Writer) error
	WriteSVG(w io.Writer) error
}) error {
	if t.svg != "" {
		if err := writeFile(t.svg, r.WriteSVG); err != nil {
			return err
		}
	}
	return printed(t.app, t.json, r, nil)
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := corpus.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// ngram learns the substrings and the threshold of method ngram.
func (t *tune) ngram(ctx context.Context, inputs []string) (r ngram.Report, err error) {
	c, err := t.method.choice()
	_, clean, err := t.method.made(c, err)
	if err != nil {
		return r, err
	}
	in := ngram.TuneInput{Recall: t.recall, Method: ngram.Config{Similarity: ngram.Similarity(c.Get("similarity"))}}
	if s := c.Get("shingle"); s != "" {
		in.Method.Shingle, err = feature.ParseShingle(s)
		if err != nil {
			return r, err
		}
	}
	pairs, others, err := t.sample(ctx, inputs)
	if err != nil {
		return r, err
	}
	for _, p := range pairs {
		texts := [2]string{clean.Clean(p.TextA), clean.Clean(p.TextB)}
		if same, _ := p.Positive(); same {
			in.Pairs = append(in.Pairs, texts)
		} else {
			in.Negatives = append(in.Negatives, texts)
		}
	}
	for _, text := range others {
		in.Texts = append(in.Texts, clean.Clean(text))
	}
	return ngram.Tune(ctx, in)
}

const curveFloor = .3

// curve measures thresholds of a method on pairs that people have labelled.
func (t *tune) curve(ctx context.Context, inputs []string) error {
	c, err := t.method.choice()
	switch {
	case err != nil:
		return err
	case c.Get("threshold") != "":
		return usage("--threshold cannot be given, because tune proposes it")
	case !c.Takes("threshold") || c.Get("verify") == "off":
		return usage("--method %s: no threshold to choose", c.Name)
	}
	m, n, err := t.method.at(curveFloor)
	if err != nil {
		return err
	}
	pairs, _, err := t.sample(ctx, inputs)
	if err != nil {
		return err
	}
	found, bias := scored(m, n, pairs)
	r := eval.Curve(m.Spec().String(), found, curveFloor, eval.Aim{Precision: t.precision, Recall: t.recall})
	if c.Name == "auto" {
		r.Bias = bias
	}
	if t.out != "" {
		if err := writeFile(t.out, func(w io.Writer) error { return t.configuration(w, r) }); err != nil {
			return err
		}
	}
	return t.told(r)
}

// scored compares pairs, and returns the bits by which their probabilities are off.
func scored(m neardup.Method, n text.Normalizer, pairs []eval.JudgedPair) (out []eval.Scored, bias float64) {
	var said []float64
	var same []bool
	for _, p := range pairs {
		positive, counts := p.Positive()
		if !counts {
			continue
		}
		s := eval.Scored{Positive: positive}
		v := decide(m, n, p)
		if v.Near && v.Found {
			s.Similarity = v.Similarity
		}
		if v.Similarity > 0 && (v.Basis == methods.Basis || v.Basis == methods.BasisSure) {
			said, same = append(said, v.Similarity), append(same, positive)
		}
		out = append(out, s)
	}
	return out, eval.Shift(said, same)
}

// configuration writes a file for --config with the method, its settings and the threshold.
func (t *tune) configuration(w io.Writer, r eval.CurveReport) error {
	p := r.Proposed
	var b strings.Builder
	fmt.Fprintf(&b, "# chosen from %d pairs that are duplicates and %d that are not: precision %v, recall %v\n", r.Positive, r.Negative, p.Precision, p.Recall)
	if r.Few != "" {
		fmt.Fprintf(&b, "# %s\n", r.Few)
	}
	c, err := t.method.parsed()
	if err != nil {
		return err
	}
	spec := c.String()
	if r.Bias != 0 && t.precision == 0 {
		fmt.Fprintf(&b, "method = %q\n", fmt.Sprintf("%s bias=%v", spec, r.Bias))
	} else {
		fmt.Fprintf(&b, "method = %q\nthreshold = %v\n", spec, p.Threshold)
	}
	for _, name := range ofFiles {
		if f := t.method.fs.Lookup(name); f.Changed {
			fmt.Fprintf(&b, "%s = %q\n", name, f.Value)
		}
	}
	if t.method.normalize != "default" {
		fmt.Fprintf(&b, "normalize = %q\n", t.method.normalize)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// sample reads the labelled pairs that the flags select, and texts of the inputs without a label.
func (t *tune) sample(ctx context.Context, inputs []string) (pairs []eval.JudgedPair, others []string, err error) {
	if len(t.judged) > 0 {
		pairs, err = t.input.judgedPairs(ctx, t.app, inputs, t.judged...)
		return pairs, nil, err
	}
	pairs, err = eval.ReadLabelled(t.labelled)
	if err == nil {
		err = t.input.fill(ctx, t.app, inputs, pairs, func(text string) {
			if len(others) < t.most {
				others = append(others, text)
			}
		})
	}
	return pairs, others, err
}

type idf struct {
	*app
	input                      inputFlags
	run                        runFlags `flags:"!config keep per overrides audit"`
	normalize, dictionary, out string
	merge                      []string
	least                      int
}

func (i *idf) check(inputs []string) (n text.Normalizer, words keyword.Splitter, err error) {
	switch {
	case i.out == "":
		return n, words, usage("--out is missing")
	case len(inputs) == 0 && len(i.merge) == 0:
		return n, words, usage("nothing to count (want INPUT or --merge TABLE)")
	}
	if err := i.run.machine(nil); err != nil {
		return n, words, err
	}
	n, err = text.ParseNormalizer(i.normalize)
	if err != nil {
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
	words, err = methods.Splitter(f)
	if err != nil {
		return n, words, fmt.Errorf("%s: %w", i.dictionary, err)
	}
	return n, words, nil
}

func (i *idf) do(ctx context.Context, inputs []string) error {
	n, words, err := i.check(inputs)
	if err != nil {
		return err
	}
	return i.batchRun(&i.input, &i.run, inputs, false, func(r *corpus.Reader, rep *reporter) (result, error) {
		sum := idfSummary{idf: i}
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
		rep.next = []func() error{func() error {
			info, err := os.Stat(i.out)
			if err == nil {
				sum.Bytes = info.Size()
			}
			return err
		}}
		return &sum, keyword.MergeFiles(ctx, out, i.least, tables...)
	})
}

type idfSummary struct {
	readCounts       // in this run, without those of merged tables
	Bytes      int64 `json:"bytes"` // of the table
	spent
	idf *idf
}

func (s *idfSummary) print(w io.Writer) {
	documents(w, s.readCounts)
	if n := len(s.idf.merge); n > 0 {
		fmt.Fprintf(w, "merged      %d tables\n", n)
	}
	fmt.Fprintf(w, "table       %s, %s bytes\n", oneLine(s.idf.out), grouped(s.Bytes))
	s.effort(w)
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
