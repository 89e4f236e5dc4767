package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/contamination"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
)

type contaminated struct {
	*app
	input               inputFlags
	run                 runFlags `flags:"!keep per overrides audit"`
	write               writes
	findings, out, mask string
	partial             bool
	least               float64
	masks               bool `flags:"-"` // set by --mask
}

func (c *contaminated) do(ctx context.Context, inputs []string) error {
	c.masks = c.cmd.Flags().Changed("mask")
	if len(inputs) < 2 {
		return usage("EVALS or DOCS is missing (want the items of an evaluation, then documents)")
	}
	if err := c.run.machine(nil); err != nil {
		return err
	}
	finder, err := c.finder(inputs[0])
	if err != nil {
		return err
	}
	return c.batchRun(&c.input, &c.run, inputs[1:], false, func(r *corpus.Reader, rep *reporter) (result, error) {
		if err := r.CanReplace(); err != nil && (c.masks || c.write.path("dolma") != "") {
			return nil, usage("%w (want --findings FILE, which lists the contaminated documents)", err)
		}
		w := contaminationWriter{
			contaminated: c, findings: rep.open(c.findings, corpus.JSONL), out: rep.records(c.out, r), forms: rep.forms(&c.write, "contaminated", r),
		}
		w.Items = finder.Items()
		examine := func(dec *corpus.Decoder, it corpus.Item, doc *neardup.Document) (*examined, error) {
			return c.examine(dec, it, doc, finder.Find(doc.Text))
		}
		if err := eachDocument(ctx, rep, "search", &w.readCounts, examine, w.record); err != nil {
			return nil, err
		}
		for _, item := range w.StubIDs {
			if err := w.findings.WriteJSON(unsearched{item, "not searched", "question and answer are too short to be found"}); err != nil {
				return nil, err
			}
		}
		return &w.contaminationSummary, nil
	})
}

func (c *contaminated) finder(evals string) (*contamination.Finder, error) {
	input := inputFlags{format: "auto", maxDocument: c.input.maxDocument}
	r, err := input.open(c.app, []string{evals}, "")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	dec := r.NewDecoder()
	items := func(yield func(contamination.Item, error) bool) { // An unreadable record is an error, because a search could never find its text.
		for it, err := range r.Items() {
			var item contamination.Item
			if err == nil {
				item, err = evalItem(dec, it)
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
	f, err := contamination.New(items, contamination.Config{Least: c.least, Memory: (int64(c.run.memory) - ownPages) * 6 / 10})
	switch {
	case errors.Is(err, contamination.ErrMemory):
		return nil, fmt.Errorf("%s: %w (want more --memory)", evals, err)
	case err != nil:
		return nil, fmt.Errorf("the items of %s: %w", evals, err)
	case f.Items().Items == 0:
		return nil, fmt.Errorf("%s: no item of an evaluation", evals)
	}
	return f, nil
}

type examined struct {
	item  corpus.Item
	doc   interop.Document
	found []contamination.Finding
	worst contamination.Verdict
}

// examine marks the items that a document contains, and masks them.
func (c *contaminated) examine(dec *corpus.Decoder, it corpus.Item, doc *neardup.Document, found []contamination.Finding) (x *examined, err error) {
	x = &examined{item: it, found: found, doc: interop.Document{File: it.File, ID: doc.ID, Runes: utf8.RuneCountInString(doc.Text)}}
	for _, f := range found {
		if x.worst != contamination.Contaminated {
			x.worst = f.Verdict
		}
		if f.Verdict == contamination.Contaminated || c.partial {
			x.doc.Spans = append(x.doc.Spans, interop.Span{Start: f.Start, End: f.End, Score: f.Held})
		}
	}
	leaves := len(x.doc.Spans) > 0
	if leaves && c.masks {
		x.item, err = dec.Replace(it, masked(doc.Text, x.doc.Spans, c.mask))
	}
	x.doc.Removed = leaves && !c.masks
	return x, err
}

// masked returns text with each span replaced by mask. Spans are in order, and touching spans share one mask.
func masked(text string, spans []interop.Span, mask string) string {
	var starts []int // byte offset of each rune
	for i := range text {
		starts = append(starts, i)
	}
	starts = append(starts, len(text))
	var b strings.Builder
	end := -1 // end of the last masked text
	for _, s := range spans {
		if s.Start > end {
			b.WriteString(text[starts[max(end, 0)]:starts[s.Start]] + mask)
		}
		end = max(end, s.End)
	}
	return b.String() + text[starts[max(end, 0)]:]
}

type contaminationWriter struct {
	*contaminated
	findings *corpus.AtomicFile
	out      *corpus.Writer
	forms    interopWriters
	contaminationSummary
}

type contaminationSummary struct {
	contamination.Items
	readCounts
	Contaminated int64 `json:"contaminated"` // documents
	Partial      int64 `json:"partial"`      // documents that are only partly contaminated
	Findings     int64 `json:"findings"`
	spent
}

// unsearched is a line after the findings, for an item that was not searched.
type unsearched struct {
	Item    string `json:"item"`
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
}

type findingLine struct {
	ID string `json:"id"`
	contamination.Finding
}

func (w *contaminationWriter) record(x *examined) error {
	w.Findings += int64(len(x.found))
	switch x.worst {
	case contamination.Contaminated:
		w.Contaminated++
	case contamination.Partial:
		w.Partial++
	}
	for _, f := range x.found {
		if err := w.findings.WriteJSON(findingLine{x.doc.ID, f}); err != nil {
			return err
		}
	}
	if err := w.forms.add(&x.doc); err != nil {
		return err
	}
	if w.out == nil || x.doc.Removed {
		return nil
	}
	return w.out.Write(x.item)
}

// mostStubs is the number of skipped items that the summary names.
const mostStubs = 20

func (s *contaminationSummary) print(w io.Writer) {
	fmt.Fprintf(w, "items       %s", grouped(int64(s.Items.Items)))
	if s.Stubs > 0 {
		fmt.Fprintf(w, ", %s of them too short to be found: %s", grouped(int64(s.Stubs)), oneLine(strings.Join(s.StubIDs[:min(s.Stubs, mostStubs)], ", ")))
		if s.Stubs > mostStubs {
			fmt.Fprint(w, ", ...; --findings lists all")
		}
	}
	fmt.Fprintln(w)
	documents(w, s.readCounts)
	fmt.Fprintf(w, "found       %s documents are contaminated, %s more partially\n", grouped(s.Contaminated), grouped(s.Partial))
	s.effort(w)
}

// An evalLine is an item of an evaluation in JSON. It has an id of its own, or, as in decon, an evaluation
// key and a number.
type evalLine struct {
	ID       json.RawMessage `json:"id"`
	Eval     json.RawMessage `json:"eval_key"`
	Number   json.RawMessage `json:"doc_id"`
	Question json.RawMessage `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Passage  json.RawMessage `json:"passage"`
}

func evalItem(dec *corpus.Decoder, it corpus.Item) (item contamination.Item, err error) {
	var line evalLine
	if json.Unmarshal(it.Raw, &line) == nil && line.Question != nil {
		item = contamination.Item{ID: plain(line.ID), Question: plain(line.Question), Answer: plain(line.Answer), Passage: plain(line.Passage)}
		switch {
		case line.Eval != nil && line.Number != nil:
			item.ID = plain(line.Eval) + "/" + plain(line.Number)
		case item.ID == "":
			item.ID = fmt.Sprintf("%s:%d", it.File, it.Line)
		}
		return item, nil
	}
	var doc neardup.Document
	if err := dec.Decode(it, &doc); err != nil {
		return item, fmt.Errorf("not an item (want a question or a text): %w", err)
	}
	return contamination.Item{ID: doc.ID, Text: doc.Text}, nil
}

// plain returns a JSON string, or a number as written. It returns "" for any other value.
func plain(raw json.RawMessage) (s string) {
	var n json.Number
	if json.Unmarshal(raw, &s) != nil && json.Unmarshal(raw, &n) == nil {
		s = n.String()
	}
	return s
}
