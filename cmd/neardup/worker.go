package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/webhdfs"
	"github.com/neardup/neardup/passage"
	"github.com/neardup/neardup/worker"
)

// A stage is one filter of the worker: its function, and its flags other than --method and --expect.
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

// filter adapts a stage that needs only the lines.
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

// mostParts bounds the table of unfinished packs.
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
	if w.parts < 0 || w.parts > mostParts || (w.parts == 0 && w.name == "records") {
		return usage("--parts %d: out of range (want 1 to %d)", w.parts, mostParts)
	}
	all := worker.Stages{Method: m, Clean: n, Parts: w.parts, Ranges: w.ranges}
	if w.raw {
		all.Decode, _, err = w.input.lines()
		if err != nil {
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
		s, err = s.Trained(files...)
		if err != nil {
			return worker.Counts{}, err
		}
	}
	return s.RecordsInPacks(ctx, w.stdin, w.stdout)
}

// workerRead is the stage that reads files of any format and writes documents.
type workerRead struct {
	*app
	input inputFlags
	name  string
}

func (v *workerRead) do(ctx context.Context, args []string) error {
	file := args[0]
	r, err := v.input.open(v.app, []string{file}, "")
	if err != nil {
		return err
	}
	defer r.Close()
	var counts worker.Counts
	dec, out := r.NewDecoder(), bufio.NewWriterSize(v.stdout, 1<<18)
	for it, next := range r.Items() {
		counts.In++
		counts.Out++
		err = errors.Join(ctx.Err(), v.line(out, dec, file, it, next))
		if err != nil {
			break
		}
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("worker read: %w", err)
	}
	return json.NewEncoder(v.stderr).Encode(counts)
}

// line writes the line of a record, or the reason why it was rejected.
func (v *workerRead) line(out io.Writer, dec *corpus.Decoder, file string, it corpus.Item, err error) error {
	var doc neardup.Document
	if err == nil {
		err = dec.Decode(it, &doc)
	}
	line, reason := it.Line, ""
	if reject := corpus.Rejected(err); reject != nil {
		line, reason, doc = reject.Line, reject.Reason, neardup.Document{}
	} else if err != nil {
		return err
	}
	id := doc.ID
	if rest, ok := strings.CutPrefix(id, file); ok && v.name != "" && (rest == "" || rest == fmt.Sprintf(":%d", it.Line)) {
		id = v.name + rest
	}
	_, err = fmt.Fprintf(out, "%d\t%s\t%s\t%s\n", line, worker.Escape(id), worker.Escape(doc.Text), worker.Escape(reason))
	return err
}

// onFolder opens the index in a local folder or in HDFS and calls fn.
func onFolder(ctx context.Context, name string, fn func(*reference.Index) error) error {
	if !webhdfs.Is(name) {
		return onIndex(name, fn)
	}
	folder, err := webhdfs.Open(ctx, name)
	if err != nil {
		return err
	}
	x, err := reference.OpenFS(folder, name)
	if err != nil {
		return err
	}
	return errors.Join(fn(x), x.Close())
}

// heldIndex describes an index to a driver.
type heldIndex struct {
	AsOf      string   `json:"asOf"`
	Documents uint32   `json:"documents"`
	Method    []string `json:"method"` // the flags to decide against it
}

type workerIndex struct {
	*app
	method methodFlags
}

func (v *workerIndex) do(ctx context.Context, args []string) error {
	return onFolder(ctx, args[0], func(x *reference.Index) error {
		if err := v.method.restore(x.Header().Settings); err != nil {
			return err
		}
		method, clean, err := v.method.inOrder()
		if err != nil {
			return err
		}
		if err := (&worker.Stages{Method: method, Clean: clean}).Use(x, ""); err != nil {
			return err
		}
		return json.NewEncoder(v.stdout).Encode(heldIndex{x.AsOf(), x.Numbers(), v.method.asFlags()})
	})
}

// asFlags returns flags that reproduce the settings.
func (f *methodFlags) asFlags() []string {
	given := f.remembered()
	given["method"] = f.spec
	flags := []string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		flags = append(flags, "--"+name+"="+given[name])
	}
	return flags
}

// A spansVerb is one stage of passages.
type spansVerb struct {
	*app
	name   string `flags:"-"`
	cuts   cutFlags
	input  inputFlags
	expect string
	raw    bool
	parts  int
	lines  *corpus.LineDecoder // with raw
}

var spansStages = map[string]func(*spansVerb, context.Context, worker.Passages) (worker.Counts, error){
	"contract": filter[*spansVerb](contract[worker.Passages]),
	"anchors":  filter[*spansVerb](worker.Passages.Anchors),
	"again":    filter[*spansVerb](worker.Passages.Again),
	"contexts": filter[*spansVerb](worker.Passages.Contexts),
	"matches":  filter[*spansVerb](worker.Passages.Matches),
	"join":     filter[*spansVerb](worker.Passages.Spans),
	"sources":  filter[*spansVerb](worker.Passages.Sources),
	"cut":      (*spansVerb).cut,
}

func (v *spansVerb) do(ctx context.Context, _ []string) error {
	p, err := v.stages()
	if err != nil {
		return err
	}
	counts, err := spansStages[v.name](v, ctx, p)
	if err != nil {
		return fmt.Errorf("worker passages %s: %w", v.name, err)
	}
	return json.NewEncoder(v.stderr).Encode(counts)
}

// steps checks the flags that select what to compare.
func (c *cutFlags) steps() (*passage.Steps, error) {
	if c.near {
		return nil, usage("--near: not supported on Spark, which finds equal passages only")
	}
	cfg, err := c.compared()
	if err != nil {
		return nil, err
	}
	cfg.Memory, cfg.Workers = worker.PassagesMemory, 1
	return passage.NewSteps(cfg)
}

func (v *spansVerb) stages() (p worker.Passages, err error) {
	if v.parts < 1 || v.parts > mostParts {
		return p, usage("--parts %d: out of range (want 1 to %d)", v.parts, mostParts)
	}
	p.Steps, err = v.cuts.steps()
	if err != nil {
		return p, err
	}
	least := v.cuts.least
	if v.cuts.units() != "" && !v.cuts.fs.Changed("least") {
		least = "any"
	}
	p.Parts, p.Spec = v.parts, fmt.Sprintf("unit=%s least=%s all=%t whole=%s mark=%q", v.cuts.unit, least, v.cuts.all, v.cuts.whole, v.cuts.mark)
	if v.raw {
		p.Decode, v.lines, err = v.input.lines()
		if err != nil {
			return p, err
		}
	}
	if v.expect != "" {
		err = p.Check(v.expect)
	}
	return p, err
}

// cut decides like passageWriter.
func (v *spansVerb) cut(ctx context.Context, p worker.Passages) (worker.Counts, error) {
	cutter, err := v.cuts.cutter()
	if err != nil {
		return worker.Counts{}, err
	}
	var replace func([]byte, string) ([]byte, error)
	if v.raw {
		if err := v.lines.CanReplace(); err != nil {
			return worker.Counts{}, err
		}
		replace = v.lines.Replace
	}
	return p.Cut(ctx, v.stdin, v.stdout, func(doc neardup.Document, spans []passage.Span) (worker.Cut, error) {
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		enc.SetEscapeHTML(false)
		w := passageWriter{passages: &passages{cutFlags: v.cuts}, cutter: cutter, spans: enc.Encode}
		c, err := w.decide(&doc, spans)
		state := worker.Untouched
		switch {
		case c.empty():
			state = worker.LeftOut
		case c.cut > 0:
			state = worker.Changed
		}
		return worker.Cut{
			State: state, Left: c.left, Spans: strings.TrimSuffix(lines.String(), "\n"), Lines: w.Spans,
			Repeated: w.Repeated, Cut: w.Cut, Within: w.Within, Headings: w.Headings,
		}, err
	}, replace)
}
