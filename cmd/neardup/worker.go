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
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/webhdfs"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/passage"
	"github.com/neardup/neardup/worker"
)

// A stage is one filter of the worker: its function, and its flags other than --expect.
type stage struct {
	run   func(worker.Stages, context.Context, io.Reader, io.Writer) (worker.Counts, error)
	flags string
}

const passagesFlags = "cuts input raw parts"

var stages = map[string]stage{
	"contract":          {contract, "method"},
	"tally":             {worker.Stages.Train, "method raw input"},
	"rulings":           {ruled, "overrides"},
	"texts":             {worker.Stages.Texts, "method input"},
	"records":           {worker.Stages.Records, "method raw input tally parts overrides"},
	"distinct":          {worker.Stages.Distinct, "method parts ranges"},
	"forest":            {worker.Stages.Forest, "method"},
	"bucket":            {worker.Stages.Bucket, "method against as-of hot"},
	"verify":            {worker.Stages.Verify, "method raw input"},
	"decide":            {worker.Stages.Decide, "method raw input against as-of overrides conflicts"},
	"digest":            {worker.Stages.Digest, "method"},
	"passages contract": {contract, passagesFlags},
	"passages anchors":  {worker.Stages.Anchors, passagesFlags},
	"passages again":    {worker.Stages.Again, passagesFlags},
	"passages contexts": {worker.Stages.Contexts, passagesFlags},
	"passages matches":  {worker.Stages.Matches, passagesFlags},
	"passages join":     {worker.Stages.Spans, passagesFlags},
	"passages sources":  {worker.Stages.Sources, passagesFlags},
	"passages cut":      {worker.Stages.Cut, passagesFlags},
}

func contract(s worker.Stages, _ context.Context, _ io.Reader, out io.Writer) (worker.Counts, error) {
	_, err := fmt.Fprintln(out, s.Contract())
	return worker.Counts{Out: 1}, err
}

// heldRulings describes overrides to a driver: the ids and the link of each, and their digest.
type heldRulings struct {
	Rulings [][3]string `json:"rulings"`
	Digest  string      `json:"digest"`
}

func ruled(s worker.Stages, _ context.Context, _ io.Reader, out io.Writer) (worker.Counts, error) {
	held := heldRulings{Rulings: [][3]string{}, Digest: s.Overrides.Digest()}
	_ = s.Overrides.Each(func(a, b string, link override.Link) error { // append never fails
		held.Rulings = append(held.Rulings, [3]string{a, b, string(link)})
		return nil
	})
	return worker.Counts{Out: int64(s.Overrides.Len())}, json.NewEncoder(out).Encode(held)
}

// mostParts bounds the table of unfinished packs.
const mostParts = 1 << 20

type workerVerb struct {
	*app
	name                   string `flags:"-"` // name of the stage
	method                 methodFlags
	cuts                   cutFlags
	input                  inputFlags
	expect, against, asOf  string
	overrides              string
	hot, parts             int
	conflicts, raw, ranges bool
	tally                  string
}

func (w *workerVerb) only() string { return "expect " + stages[w.name].flags }

func (w *workerVerb) do(ctx context.Context, _ []string) error {
	s := worker.Stages{
		Parts: w.parts, Ranges: w.ranges, Hot: w.hot, Conflicts: w.conflicts,
	}
	passages := strings.HasPrefix(w.name, "passages ")
	if w.parts < 0 || w.parts > mostParts || (w.parts == 0 && (w.name == "records" || passages)) {
		return usage("--parts %d: out of range (want 1 to %d)", w.parts, mostParts)
	}
	var err error
	if passages {
		s.Passages, err = w.cuts.passages()
	} else {
		s.Method, s.Clean, err = w.method.method()
	}
	if err != nil {
		return err
	}
	var lines *corpus.LineDecoder
	if w.raw || w.name == "texts" {
		s.Decode, lines, err = w.input.lines()
		if err != nil {
			return err
		}
	}
	if w.expect != "" {
		if err := s.Check(w.expect); err != nil {
			return err
		}
	}
	counts, err := w.run(ctx, s, lines)
	if err != nil {
		return fmt.Errorf("worker %s: %w", w.name, err)
	}
	return json.NewEncoder(w.stderr).Encode(counts)
}

// run opens the files of a stage and runs it. lines are those that the stage decodes, or nil.
func (w *workerVerb) run(ctx context.Context, s worker.Stages, lines *corpus.LineDecoder) (counts worker.Counts, err error) {
	run := stages[w.name].run
	switch w.name {
	case "decide":
		limitGarbage(worker.DecideMemory)
	case "passages cut":
		err = w.cuts.cutting(s.Passages, lines)
	}
	if err == nil {
		s.Overrides, err = readOverrides(w.overrides)
	}
	if err != nil {
		return counts, err
	}
	if w.tally != "" {
		f, err := os.Open(w.tally)
		if err != nil {
			return counts, err
		}
		defer f.Close()
		s.Tally = f
	}
	if w.against == "" {
		return run(s, ctx, w.stdin, w.stdout)
	}
	err = onFolder(ctx, w.against, func(x *reference.Index) error {
		err := s.Use(x, w.asOf)
		if err == nil {
			counts, err = run(s, ctx, w.stdin, w.stdout)
		}
		return err
	})
	return counts, err
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

// workerRead is the stage that reads a file of any format and writes documents.
type workerRead struct {
	*app
	input  inputFlags
	name   string
	number int64
}

func (v *workerRead) do(ctx context.Context, args []string) error {
	file := args[0]
	r, err := v.input.open(v.app, []string{file}, "")
	if err != nil {
		return err
	}
	defer r.Close()
	dec, out := r.NewDecoder(), worker.NewFile(ctx, v.stdout, v.number, cmp.Or(v.name, file))
	for it, next := range r.Items() {
		err = v.document(out, dec, file, it, next)
		if err != nil {
			break
		}
	}
	counts, errEnd := out.End()
	if err := errors.Join(err, errEnd); err != nil {
		return fmt.Errorf("worker read: %w", err)
	}
	return json.NewEncoder(v.stderr).Encode(counts)
}

// document writes the row of a record, or the reason why it was rejected.
func (v *workerRead) document(out *worker.File, dec *corpus.Decoder, file string, it corpus.Item, err error) error {
	var doc neardup.Document
	if err == nil {
		err = dec.Decode(it, &doc)
	}
	if reject := corpus.Rejected(err); reject != nil {
		return out.Document(neardup.Document{}, reject.Line, reject.Reason)
	} else if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(doc.ID, file); ok && v.name != "" && (rest == "" || rest == fmt.Sprintf(":%d", it.Line)) {
		doc.ID = v.name + rest
	}
	return out.Document(doc, it.Line, "")
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
	Method    []string `json:"method"` // the flags for deciding against it
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
		flags, given := []string{}, v.method.remembered()
		given["method"] = v.method.spec
		for _, name := range slices.Sorted(maps.Keys(given)) {
			flags = append(flags, "--"+name+"="+given[name])
		}
		return json.NewEncoder(v.stdout).Encode(heldIndex{x.AsOf(), x.Numbers(), flags})
	})
}

func (c *cutFlags) passages() (*worker.Passages, error) {
	cfg, err := c.compared()
	if err != nil {
		return nil, err
	}
	cfg.Memory, cfg.Workers = worker.PassagesMemory, 1
	steps, err := passage.NewSteps(cfg)
	least := c.least
	if c.units() != "" && !c.fs.Changed("least") {
		least = "any"
	}
	return &worker.Passages{
		Steps: steps, Spec: fmt.Sprintf("unit=%s least=%s all=%t whole=%s mark=%q", c.unit, least, c.all, c.whole, c.mark),
	}, err
}

// cutting makes the stage cut decide like passageWriter.
func (c *cutFlags) cutting(p *worker.Passages, lines *corpus.LineDecoder) error {
	cutter, err := c.cutter()
	if err != nil {
		return err
	}
	if lines != nil {
		if err := lines.CanReplace(); err != nil {
			return err
		}
		p.Replace = lines.Replace
	}
	p.Cut = func(doc neardup.Document, spans []passage.Span) (worker.Cut, error) {
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		enc.SetEscapeHTML(false)
		w := passageWriter{passages: &passages{cutFlags: *c}, cutter: cutter, spans: enc.Encode}
		c, err := w.cutRepeats(&doc, spans)
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
	}
	return nil
}
