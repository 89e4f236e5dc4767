package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
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
	var r interface {
		WriteText(w io.Writer) error
		WriteSVG(w io.Writer) error
	}
	if len(t.judged) > 0 || c.Name != "ngram" || t.out != "" || t.precision != 0 {
		r, err = t.curve(ctx, c, inputs)
	} else {
		r, err = t.ngram(ctx, c, inputs)
	}
	if err == nil && t.svg != "" {
		err = writeFile(t.svg, r.WriteSVG)
	}
	return printed(t.app, t.json, r, err)
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
func (t *tune) ngram(ctx context.Context, c methods.Choice, inputs []string) (r ngram.Report, err error) {
	_, clean, err := t.method.method()
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
func (t *tune) curve(ctx context.Context, c methods.Choice, inputs []string) (r eval.CurveReport, err error) {
	switch {
	case c.Get("threshold") != "":
		return r, usage("--threshold has no effect, because tune proposes it")
	case !c.Takes("threshold") || c.Get("verify") == "off":
		return r, usage("--method %s: it has no threshold to choose", c.Name)
	}
	m, n, err := t.method.at(curveFloor)
	if err != nil {
		return r, err
	}
	pairs, _, err := t.sample(ctx, inputs)
	if err != nil {
		return r, err
	}
	found, bias := scored(m, n, pairs)
	r = eval.Curve(m.Spec().String(), found, curveFloor, eval.Aim{Precision: t.precision, Recall: t.recall})
	if c.Name == "auto" {
		r.Bias = bias
	}
	if t.out != "" {
		err = writeFile(t.out, func(w io.Writer) error { return t.configuration(w, r) })
	}
	return r, err
}

// scored compares pairs. It returns the loss of their probabilities in bits.
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
	fmt.Fprintf(w, "# chosen from %d pairs that are duplicates and %d that are not: precision %v, recall %v\n", r.Positive, r.Negative, p.Precision, p.Recall)
	if r.Few != "" {
		fmt.Fprintf(w, "# %s\n", r.Few)
	}
	c, err := t.method.parsed()
	if err != nil {
		return err
	}
	settings := map[string]any{"method": c.String()}
	if r.Bias != 0 && t.precision == 0 {
		settings["method"] = fmt.Sprintf("%s bias=%v", c, r.Bias)
	} else {
		settings["threshold"] = p.Threshold
	}
	for _, name := range append([]string{normalizeSetting}, ofFiles...) {
		if f := t.method.fs.Lookup(name); f.Changed {
			settings[name] = f.Value.String()
		}
	}
	return toml.NewEncoder(w).Encode(settings)
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

func (i *idf) check() (n text.Normalizer, words keyword.Splitter, err error) {
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
	added, err := os.ReadFile(i.dictionary)
	if err != nil {
		return n, words, err
	}
	words, err = methods.Splitter(bytes.NewReader(added))
	if err != nil {
		err = fmt.Errorf("%s: %w", i.dictionary, err)
	}
	return n, words, err
}

func (i *idf) do(ctx context.Context, inputs []string) error {
	n, words, err := i.check()
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
			defer func() { _ = remove() }() // the folder is temporary
			path := filepath.Join(dir, "table")
			if err := i.train(ctx, n, words, path, rep, &sum); err != nil {
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
	readCounts       // counts of this run, without merged tables
	Bytes      int64 `json:"bytes"` // size of the table
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

// train counts the words of all documents in a table at path.
func (i *idf) train(ctx context.Context, clean neardup.Cleaner, words keyword.Splitter, path string, rep *reporter, sum *idfSummary) (err error) {
	trainer := keyword.NewTrainer(words, keyword.TrainOptions{Memory: int64(i.run.memory) / 2, Dir: filepath.Dir(path)})
	defer func() { err = errors.Join(err, trainer.Close()) }()
	add := func(_ *corpus.Decoder, _ corpus.Item, doc *neardup.Document) (failed error, _ error) {
		return trainer.Add(clean.Clean(doc.Text)), nil
	}
	if err := eachDocument(ctx, rep, "count", &sum.readCounts, add, func(failed error) error { return failed }); err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error { return trainer.WriteTable(ctx, w) })
}

type evaluation struct {
	*app
	eval.Options            `flags:"at floor examples"`
	truth, pairs, decisions string
	json                    bool
	judged                  string // file of pairs that people have judged, to measure the method
	input                   inputFlags
	method                  methodFlags
}

func (e *evaluation) do(ctx context.Context, inputs []string) error {
	if e.judged != "" {
		m, n, err := e.method.method()
		if err != nil {
			return err
		}
		pairs, err := e.input.judgedPairs(ctx, e.app, inputs, e.judged)
		r := eval.Judged(pairs, func(p eval.JudgedPair) eval.Verdict { return decide(m, n, p) }, e.Examples)
		return printed(e.app, e.json, r, err)
	}
	if err := expects()(nil, inputs); err != nil {
		return err
	}
	if e.pairs != "" {
		r, err := eval.Pairs(e.truth, e.pairs, e.Options)
		return printed(e.app, e.json, r, err)
	}
	r, err := eval.Decisions(e.truth, e.decisions, e.Options)
	return printed(e.app, e.json, r, err)
}

func indented(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(result)
}

func printed(a *app, asJSON bool, r interface{ WriteText(io.Writer) error }, err error) error {
	if err != nil {
		return err
	}
	out := corpus.NewStream(a.stdout)
	if asJSON {
		err = indented(out, r)
	} else {
		err = r.WriteText(out)
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// fill adds the missing texts of pairs from the inputs, using the first document with an id. If others is not nil, it is
// called with the texts of all other documents.
func (f *inputFlags) fill(ctx context.Context, a *app, inputs []string, pairs []eval.JudgedPair, others func(text string)) error {
	missing := eval.MissingTexts(pairs)
	if len(inputs) > 0 && (len(missing) > 0 || others != nil) {
		err := f.each(ctx, a, inputs, func(doc *neardup.Document) bool {
			places := missing[doc.ID]
			for _, place := range places {
				*place = cmp.Or(*place, doc.Text)
			}
			if len(places) == 0 && others != nil {
				others(doc.Text)
			}
			return true
		})
		if err != nil {
			return err
		}
		missing = eval.MissingTexts(pairs)
	}
	if len(missing) > 0 {
		return fmt.Errorf("text of %s: missing, for example %q", counted(int64(len(missing)), "document"), slices.Min(slices.Collect(maps.Keys(missing))))
	}
	return nil
}

func (f *inputFlags) judgedPairs(ctx context.Context, a *app, inputs []string, files ...string) (pairs []eval.JudgedPair, err error) {
	for _, file := range files {
		of, err := eval.ReadJudged(file)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, of...)
	}
	if err := f.fill(ctx, a, inputs, pairs, nil); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	return pairs, nil
}

// each calls do with every readable document of the inputs until do returns false.
func (f *inputFlags) each(ctx context.Context, a *app, inputs []string, do func(*neardup.Document) (more bool)) error {
	r, err := f.open(a, inputs, "")
	if err != nil {
		return err
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			if !do(doc) {
				return nil
			}
		case corpus.Rejected(err) == nil:
			return err
		}
	}
	return nil
}

// decide decides a pair like a batch of these two documents.
func decide(m neardup.Method, n text.Normalizer, p eval.JudgedPair) eval.Verdict {
	x, y := n.Clean(p.TextA), n.Clean(p.TextB)
	match := verdict(m, x, y)
	return eval.Verdict{
		Match: match, Found: x == y || meet(m, x, y),
		Short: min(methods.Length(x), methods.Length(y)) < 2*methods.DefaultLimit,
		Sure:  match.Basis == neardup.BasisEqual || match.Basis == methods.BasisSure,
	}
}

// meet reports whether a search would compare two texts. A probe key of one must be an index key of the
// other, and the sketches must not rule the pair out.
func meet(m neardup.Method, x, y string) bool {
	var a, b neardup.Record
	m.Record(x, &a)
	m.Record(y, &b)
	return m.Plausible(a.Sketch, b.Sketch) && slices.ContainsFunc(b.Probes(), func(key uint64) bool { return slices.Contains(a.Index, key) })
}
