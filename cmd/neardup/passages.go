package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/passage"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

type passages struct {
	*app
	cutFlags
	input              inputFlags
	run                runFlags `flags:"!keep per overrides audit"`
	spans, out, shares string
	dropBelow          float64
	write              writes
}

// cutFlags are the flags that select what to compare and what to cut.
type cutFlags struct {
	fs    *pflag.FlagSet
	least string
	unit  string
	near  bool
	all   bool
	whole string
	mark  string
}

func (c *cutFlags) add(fs *pflag.FlagSet) {
	c.fs = fs
	bind(fs, "passages", flags{
		"least": &c.least, "unit": &c.unit, "near": &c.near, "all": &c.all, "whole": &c.whole, "mark": &c.mark,
	})
}

func (p *passages) do(ctx context.Context, inputs []string) error {
	cfg, cutter, err := p.config()
	if err != nil {
		return err
	}
	return p.batchRun(&p.input, &p.run, inputs, true, func(r *corpus.Reader, rep *reporter) (result, error) {
		if err := r.CanReplace(); err != nil && p.out != "" {
			return nil, usage("--out: %w (want --spans FILE, which lists the repeated passages)", err)
		}
		w := passageWriter{passages: p, cutter: cutter, rep: rep, own: rep.open(p.shares, corpus.JSONL), spans: rep.open(p.spans, corpus.JSONL).WriteJSON}
		w.out, w.forms = rep.records(p.out, r), rep.forms(&p.write, "passages", r)
		if err := rep.begun(); err != nil {
			return nil, err
		}
		cfg.Reject, cfg.Progress = rep.reject, rep.progress
		w.flags, w.written = &p.cutFlags, w.out != nil
		return &w.passageSummary, p.find(ctx, cfg, &w)
	})
}

// find reads the inputs twice to find repeated passages and a third time to write the results.
func (p *passages) find(ctx context.Context, cfg passage.Config, w *passageWriter) error {
	opened := false
	spans, err := passage.Find(ctx, func() (batch.Source, error) {
		if opened {
			if err := w.rep.reread(); err != nil {
				return nil, err
			}
		}
		opened = true
		return newSource(w.rep.r), nil
	}, cfg)
	if err != nil {
		return err
	}
	defer spans.Close()
	w.Summary = spans.Summary()
	if p.dropBelow > 0 && !p.all {
		w.sources, err = spans.Sources(ctx)
		if err != nil {
			return err
		}
	}
	if err := w.rep.nothingRead(w.Documents); err != nil {
		return err
	}
	if err := w.rep.reread(); err != nil {
		return err
	}
	err = w.write(ctx, spans)
	w.TemporaryBytes = spans.Summary().TemporaryBytes
	return err
}

func (p *passages) config() (cfg passage.Config, _ *passage.Cutter, err error) {
	if err := p.run.machine(nil); err != nil {
		return cfg, nil, err
	}
	cfg, err = p.compared()
	if err != nil {
		return cfg, nil, err
	}
	cfg.Tmp, cfg.Workers, cfg.Memory = p.run.tmp, p.run.workers, int64(p.run.memory)-ownPages
	cutter, err := p.cutter()
	return cfg, cutter, err
}

func (c *cutFlags) cutter() (*passage.Cutter, error) {
	return passage.NewCutter(cmp.Or(passage.Border(c.units()), passage.Border(c.whole)))
}

// writes reports whether an output can omit documents.
func (p *passages) writes() bool { return p.out != "" || len(p.write.files) > 0 }

func (c *cutFlags) compared() (cfg passage.Config, err error) {
	cfg.Whole = passage.Border(c.units())
	if cfg.Whole == "" || c.fs.Changed("least") {
		cfg.Least, err = passage.ParseLength(c.least)
		if err != nil {
			return cfg, usage("--least %w", err)
		}
	}
	cfg.First = c.all
	if !c.near {
		return cfg, nil
	}
	cfg.Clean = text.Default()
	cfg.Near, err = methods.New("")
	return cfg, err
}

type passageWriter struct {
	*passages
	cutter *passage.Cutter
	spans  func(any) error // writes a spanLine
	own    *corpus.AtomicFile
	out    *corpus.Writer
	forms  interopWriters
	rep    *reporter
	// sources marks documents that others repeat. They are kept, however short their own text is.
	sources []bool
	passageSummary
}

type passageSummary struct {
	passage.Summary
	Repeated int64 `json:"repeatedBytes"`
	Cut      int64 `json:"cutBytes"`
	Within   int64 `json:"keptWithinBytes"`  // kept because the cut would end within a sentence
	Headings int64 `json:"keptHeadingBytes"` // kept because a heading would be left alone
	Spans    int64 `json:"spans"`
	Changed  int64 `json:"changed"` // documents with a cut
	Dropped  int64 `json:"dropped"` // documents of which too little would be left
	spent
	flags   *cutFlags
	written bool // documents were written without the cut parts
}

func (w *passageWriter) write(ctx context.Context, spans *passage.Spans) error {
	dec := w.rep.r.NewDecoder()
	next, err := spans.Next()
	ended := errors.Is(err, io.EOF)
	if err != nil && !ended {
		return err
	}
	return w.rep.eachItem(ctx, func(i int, it corpus.Item) error {
		var own []passage.Span
		for !ended && next.Item == i {
			own = append(own, next)
			next, err = spans.Next()
			if errors.Is(err, io.EOF) {
				ended = true
			} else if err != nil {
				return err
			}
		}
		return w.item(dec, i, it, own)
	})
}

func (w *passageWriter) item(dec *corpus.Decoder, i int, it corpus.Item, spans []passage.Span) error {
	if len(spans) == 0 && w.own == nil && !w.writes() {
		return nil
	}
	var doc neardup.Document
	if ok, err := decoded(dec, it, &doc); !ok {
		return err // rejected records have already been printed and listed
	}
	c, err := w.cutRepeats(&doc, spans)
	if err != nil {
		return err
	}
	share := 1.0
	if doc.Text != "" {
		share = 1 - float64(c.repeated)/float64(len(doc.Text))
	}
	source := i < len(w.sources) && w.sources[i]
	drop := w.writes() && ((share < w.dropBelow && !source) || c.empty())
	switch {
	case drop:
		w.Dropped++
	case c.cut > 0:
		w.Changed++
	}
	if err := w.own.WriteJSON(ownShare{doc.ID, share, utf8.RuneCountInString(doc.Text), c.cut, drop}); err != nil {
		return err
	}
	if err := w.tell(it, &doc, c.parts, drop); err != nil || w.out == nil || drop {
		return err
	}
	if c.cut > 0 {
		it, err = dec.Replace(it, c.left)
		if err != nil {
			return err
		}
	}
	return w.out.Write(it)
}

// tell writes the cut parts of a document in the formats of other tools.
func (w *passageWriter) tell(it corpus.Item, doc *neardup.Document, parts []passage.Part, drop bool) error {
	if w.forms == nil {
		return nil
	}
	d := interop.Document{File: it.File, ID: doc.ID, Runes: utf8.RuneCountInString(doc.Text), Removed: drop}
	for _, p := range parts {
		if p.Stays == "" {
			start := p.Spans[0].Rune
			d.Spans = append(d.Spans, interop.Span{Start: start, End: start + utf8.RuneCountInString(doc.Text[p.Start:p.End]), Score: 1})
		}
	}
	return w.forms.add(&d)
}

type ownShare struct {
	ID      string  `json:"id"`
	Own     float64 `json:"own"` // share of the bytes that are not repeated
	Runes   int     `json:"runes"`
	Cut     int     `json:"cutBytes"`
	Dropped bool    `json:"dropped"`
}

type cutDocument struct {
	parts         []passage.Part
	left          string // what is left of its text
	repeated, cut int    // in bytes
}

// empty reports whether the cuts leave nothing.
func (c *cutDocument) empty() bool { return c.cut > 0 && neardup.Blank(c.left) }

// cutRepeats counts and writes the repeated parts of a document, and cuts them. Without a mark, it also cuts the
// white space around a whole unit.
func (w *passageWriter) cutRepeats(doc *neardup.Document, spans []passage.Span) (cutDocument, error) {
	c := cutDocument{parts: w.cutter.Parts(doc.Text, spans)}
	var b strings.Builder
	s, at := doc.Text, 0
	for _, p := range c.parts {
		c.repeated += p.End - p.Start
		if err := w.part(doc, p); err != nil {
			return c, err
		}
		if p.Stays != "" {
			continue
		}
		start, end := p.Start, p.End
		if w.mark == "" && w.unit != "passage" {
			start, end = w.around(s, start, end)
		}
		b.WriteString(s[at:max(start, at)])
		b.WriteString(w.mark)
		at = end
		c.cut += p.End - p.Start
	}
	b.WriteString(s[at:])
	c.left = b.String()
	w.Repeated += int64(c.repeated)
	return c, nil
}

// around extends a unit by the following blanks. At the start of a line it also takes the preceding blanks
// and the end of the line. For a paragraph it takes the following blank lines.
func (w *passageWriter) around(s string, start, end int) (from, to int) {
	before, rest := strings.TrimRight(s[:start], " \t"), strings.TrimLeft(s[end:], " \t\r")
	if before == "" || strings.HasSuffix(before, "\n") {
		start, rest = len(before), strings.TrimPrefix(rest, "\n")
		for w.unit == "paragraph" {
			line, more, found := strings.Cut(rest, "\n")
			if !found || strings.TrimSpace(line) != "" {
				break
			}
			rest = more
		}
	}
	return start, len(s) - len(rest)
}

// A spanLine is a line of --spans: two spans of equal or similar text. Offsets count runes and, separately, bytes of UTF-8.
type spanLine struct {
	ID    string   `json:"id"`
	Start int      `json:"start"`
	End   int      `json:"end"`
	Bytes [2]int   `json:"bytes"`
	From  spanFrom `json:"from"`
	// Similarity is set if the two texts are not equal.
	Similarity float64        `json:"similarity,omitempty"`
	Cut        bool           `json:"cut"`
	Stays      passage.Reason `json:"stays,omitempty"`
}

type spanFrom struct {
	ID    string `json:"id"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Bytes [2]int `json:"bytes"`
}

func (w *passageWriter) part(doc *neardup.Document, p passage.Part) error {
	n := int64(p.End - p.Start)
	switch p.Stays {
	case "":
		w.Cut += n
	case passage.Inside:
		w.Within += n
	case passage.Heading:
		w.Headings += n
	}
	for _, s := range p.Spans {
		w.Spans++
		runes := s.Runes(doc.Text)
		err := w.spans(spanLine{
			ID: doc.ID, Start: s.Rune, End: s.Rune + runes, Bytes: [2]int{s.Byte, s.Byte + s.Len},
			From:       spanFrom{s.From.ID, s.From.Rune, s.From.Rune + s.FromRunes(doc.Text), [2]int{s.From.Byte, s.From.Byte + s.FromLen}},
			Similarity: s.Similarity, Cut: p.Stays == "", Stays: p.Stays,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// units returns the plural of --unit, or "" for passages.
func (p *cutFlags) units() string {
	if p.unit == "passage" {
		return ""
	}
	return p.unit + "s"
}

func (p *cutFlags) what() string {
	if units := p.units(); units != "" {
		return "whole " + units
	}
	return "passages of at least " + p.least
}

func (s *passageSummary) print(w io.Writer) {
	s.found(w)
	s.effort(w)
	disk(w, s.TemporaryBytes)
}

func (s *passageSummary) found(w io.Writer) {
	of := ""
	if s.TextBytes > 0 { // Spark does not count them
		of = " of " + grouped(s.TextBytes)
	}
	documents(w, readCounts{s.Documents, s.Rejected})
	fmt.Fprintf(w, "repeated    %s%s bytes, in %s\n", grouped(s.Repeated), of, s.flags.what())
	fmt.Fprintf(w, "to cut      %s bytes; not cut: %s that end within %s, %s whose removal would leave a heading alone\n",
		grouped(s.Cut), grouped(s.Within), cmp.Or(s.flags.units(), s.flags.whole), grouped(s.Headings))
	if s.written {
		fmt.Fprintf(w, "documents   %s cut, %s left out\n", grouped(s.Changed), grouped(s.Dropped))
	}
}
