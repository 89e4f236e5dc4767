package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/passage"
	"github.com/neardup/neardup/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type passages struct {
	*app
	input inputFlags
	run   runFlags
	fs    *pflag.FlagSet
	least string
	unit  string
	near  bool
	all   bool
	whole string
	spans string
	out   string
	mark  string
	own   string
	drop  float64
}

func passagesCommand(a *app) *cobra.Command {
	p := &passages{app: a}
	cmd := &cobra.Command{
		Use:   "passages [flags] INPUT...",
		Short: "Find text that is repeated inside documents; cut it",
		Long: `Finds every passage of at least --least that stands in several places of the
documents, byte for byte: none is missed, and none is found that is not there.
The first occurrence stays, all others can be cut; each names the place that it
is from. With --unit, whole lines, paragraphs or sentences are compared instead.

Only whole sentences are cut, unless --whole says otherwise, and no text from
under a heading that would be left alone. A document of which nothing is left
is not written.

` + exitHelp,
		Example: `  neardup passages crawl.jsonl --spans spans.jsonl
  neardup passages crawl.jsonl --out clean.jsonl --drop-below .3
  neardup passages --least '50 words' --whole paragraphs 'news/*.jsonl.zst' --out clean.jsonl.zst --mark '[...]'`,
		Args: cobra.ArbitraryArgs,
		RunE: a.onInputs(p.do),
	}
	fs := cmd.Flags()
	p.fs = fs
	grouping(fs, outputGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.spans, "spans", "", "write each repeated part here, and where it is from (JSONL)")
		fs.StringVar(&p.out, "out", "", "write the documents without what is cut here, in the format of the input")
		fs.StringVar(&p.mark, "mark", "", "with --out: put this in the place of what is cut")
		fs.StringVar(&p.own, "shares", "", "write the share of each document that is its own here (JSONL)")
		fs.Float64Var(&p.drop, "drop-below", 0, "with --out: leave out documents of which a smaller share is their own, and that no\nother names as the place of what it repeats")
	})
	grouping(fs, methodGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.least, "least", passage.DefaultLength.String(), "least length of a passage: '200 bytes', '100 runes' or '50 words' (with --unit: of any)")
		fs.StringVar(&p.unit, "unit", "passage", "what is compared: passages, or each line, paragraph or sentence as a whole")
		fs.BoolVar(&p.near, "near", false, "with --unit: also what is a near-duplicate, as neardup dedup says of short texts")
		fs.BoolVar(&p.all, "all", false, "the first occurrence is repeated text, too")
		fs.StringVar(&p.whole, "whole", string(passage.WholeSentences), "what is cut is whole words, sentences, lines or paragraphs")
	})
	p.input.add(fs)
	grouping(fs, inputGroup, func(fs *pflag.FlagSet) {
		fs.String(configFlag, "", "TOML file of settings: the names of these flags, which come before it")
	})
	p.run.addMachine(fs)
	p.run.addReport(fs)
	return cmd
}

func (p *passages) do(ctx context.Context, inputs []string) error {
	cfg, cutter, err := p.config()
	if err != nil {
		return err
	}
	tmp := p.run.tmp
	if tmp == "" {
		tmp = os.TempDir()
	}
	r, err := p.input.openFor(p.app, inputs, tmp, p.spans, p.out, p.own, p.run.rejects)
	if err != nil {
		return err
	}
	defer r.Close()
	var files outputs
	defer files.abort()
	w := passageWriter{passages: p, cutter: cutter, spans: files.open(p.spans, corpus.JSONL), own: files.open(p.own, corpus.JSONL)}
	w.rep = newReporter(p.app, &p.run, r, &files)
	if files.err != nil {
		return files.err
	}
	var others []corpus.Output
	if p.out != "" {
		if err := r.CanReplace(); err != nil {
			return usage("--out: %w; --spans says what is repeated", err)
		}
		if w.out, err = corpus.NewWriter(p.out, r); err != nil {
			return named(err)
		}
		defer w.out.Abort()
		others = append(others, w.out)
	}
	w.rep.diskNeed()
	cfg.Reject, cfg.Progress = w.rep.reject, w.rep.progress
	if err := p.find(ctx, r, cfg, &w); err != nil {
		return err
	}
	if err := files.commit(others...); err != nil {
		return err
	}
	return w.summary()
}

// find reads the inputs twice to find what is repeated, and once more to write it.
func (p *passages) find(ctx context.Context, r *corpus.Reader, cfg passage.Config, w *passageWriter) error {
	first := true
	var again []*corpus.Reader
	defer func() {
		for _, r := range again {
			r.Close()
		}
	}()
	read := func() (*corpus.Reader, error) {
		if first {
			first = false
			return r, nil
		}
		next, err := r.Again()
		if err == nil {
			again = append(again, next)
			w.rep.reading(next)
		}
		return next, err
	}
	spans, err := passage.Find(ctx, func() (batch.Source, error) {
		r, err := read()
		if err != nil {
			return nil, err
		}
		return newSource(r), nil
	}, cfg)
	if err != nil {
		return err
	}
	defer spans.Close()
	w.Summary = spans.Summary()
	if p.drop > 0 && !p.all {
		if w.sources, err = spans.Sources(ctx); err != nil {
			return err
		}
	}
	if err := w.rep.nothingRead(w.Documents); err != nil {
		return err
	}
	if r, err = read(); err != nil {
		return err
	}
	if err := w.write(ctx, r, spans); err != nil {
		return err
	}
	w.TemporaryBytes = spans.Summary().TemporaryBytes
	return nil
}

// config checks the flags.
func (p *passages) config() (cfg passage.Config, _ *passage.Cutter, err error) {
	if err := p.run.machine(); err != nil {
		return cfg, nil, err
	}
	if cfg, err = p.compared(); err != nil {
		return cfg, nil, err
	}
	switch {
	case p.out == "" && p.mark != "":
		return cfg, nil, usage("--mark has no effect without --out")
	case p.out == "" && p.drop != 0:
		return cfg, nil, usage("--drop-below has no effect without --out")
	case p.drop > 1:
		return cfg, nil, usage("--drop-below %g is a share, of 0 to 1", p.drop)
	case p.run.json && (p.out == "-" || p.spans == "-" || p.own == "-"):
		return cfg, nil, usage("--json and another result would both go to standard output")
	}
	cfg.First, cfg.Tmp, cfg.Workers, cfg.Memory = p.all, p.run.tmp, p.run.workers, int64(p.run.memory)-ownPages
	cutter, err := passage.NewCutter(cmp.Or(cfg.Whole, passage.Border(p.whole)))
	return cfg, cutter, err
}

// compared checks the flags that say what is compared.
func (p *passages) compared() (cfg passage.Config, err error) {
	switch passage.Border(p.whole) {
	case passage.WholeWords, passage.WholeSentences, passage.WholeLines, passage.WholeParagraphs:
	default:
		return cfg, usage("--whole %s is none of words, sentences, lines, paragraphs", p.whole)
	}
	switch p.unit {
	case "passage":
		if p.near {
			return cfg, usage("--near has no effect without --unit line, paragraph or sentence")
		}
	case "line", "paragraph", "sentence":
		cfg.Whole = passage.Border(p.units())
		if p.fs.Changed("whole") {
			return cfg, usage("--whole has no effect with --unit %s", p.unit)
		}
	default:
		return cfg, usage("--unit %s is none of passage, line, paragraph, sentence", p.unit)
	}
	if cfg.Whole == "" || p.fs.Changed("least") {
		if cfg.Least, err = passage.ParseLength(p.least); err != nil {
			return cfg, usage("--least %w", err)
		}
	}
	if !p.near {
		return cfg, nil
	}
	if p.all {
		return cfg, usage("--near and --all do not go together: of what is alike the first stays")
	}
	cfg.Clean = text.Default()
	cfg.Near, err = methods.New(methods.Config{})
	return cfg, err
}

// passageWriter writes what came of the passages, document by document.
type passageWriter struct {
	*passages
	cutter *passage.Cutter
	spans  *corpus.AtomicFile
	own    *corpus.AtomicFile
	out    *corpus.Writer
	rep    *reporter
	// sources are the documents that others name: they stay, however little is their own.
	sources []bool
	passageSummary
}

// passageSummary is what --json prints.
type passageSummary struct {
	passage.Summary
	Repeated   int64   `json:"repeatedBytes"`
	Cut        int64   `json:"cutBytes"`
	Within     int64   `json:"keptWithinBytes"`  // as a cut would end within a sentence
	Headings   int64   `json:"keptHeadingBytes"` // as a heading would stand alone
	Spans      int64   `json:"spans"`
	Changed    int64   `json:"changed"` // documents of which something is cut
	Dropped    int64   `json:"dropped"` // of which too little would be left
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakMemory int64   `json:"peakMemoryBytes"`
}

// write reads the documents and writes each.
func (w *passageWriter) write(ctx context.Context, r *corpus.Reader, spans *passage.Spans) error {
	dec := r.NewDecoder()
	next, err := spans.Next()
	ended := errors.Is(err, io.EOF)
	if err != nil && !ended {
		return err
	}
	return eachItem(ctx, r, w.rep.writing, func(i int, it corpus.Item) error {
		var own []passage.Span
		for !ended && next.Item == i {
			own = append(own, next)
			if next, err = spans.Next(); errors.Is(err, io.EOF) {
				ended = true
			} else if err != nil {
				return err
			}
		}
		return w.item(dec, i, it, own)
	})
}

// item writes the i-th document.
func (w *passageWriter) item(dec *corpus.Decoder, i int, it corpus.Item, spans []passage.Span) error {
	if len(spans) == 0 && w.own == nil && w.out == nil {
		return nil
	}
	var doc neardup.Document
	if ok, err := decoded(dec, it, &doc); !ok {
		return err // rejected ones were told, and are listed among the rejects
	}
	parts := w.cutter.Parts(doc.Text, spans)
	left, repeated, cut := w.cutText(doc.Text, parts)
	w.Repeated += int64(repeated)
	for _, part := range parts {
		if err := w.part(&doc, part); err != nil {
			return err
		}
	}
	share := 1.0
	if doc.Text != "" {
		share = 1 - float64(repeated)/float64(len(doc.Text))
	}
	source := i < len(w.sources) && w.sources[i]
	drop := w.out != nil && (share < w.drop && !source || cut > 0 && neardup.Blank(left))
	switch {
	case drop:
		w.Dropped++
	case cut > 0:
		w.Changed++
	}
	if w.own != nil {
		if err := w.own.WriteJSON(ownShare{doc.ID, share, utf8.RuneCountInString(doc.Text), cut, drop}); err != nil {
			return err
		}
	}
	if w.out == nil || drop {
		return nil
	}
	if cut > 0 {
		var err error
		if it, err = dec.Replace(it, left); err != nil {
			return err
		}
	}
	return w.out.Write(it)
}

// ownShare is a line of --shares.
type ownShare struct {
	ID      string  `json:"id"`
	Own     float64 `json:"own"` // share of the bytes that are not repeated
	Runes   int     `json:"runes"`
	Cut     int     `json:"cutBytes"`
	Dropped bool    `json:"dropped"`
}

// cutText is a text without the parts that are cut, how much of it is repeated, and how much is cut.
// Where no mark is set, what stood between a whole unit and the next goes with it.
func (w *passageWriter) cutText(s string, parts []passage.Part) (left string, repeated, cut int) {
	var b strings.Builder
	at := 0
	for _, p := range parts {
		repeated += p.End - p.Start
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
		cut += p.End - p.Start
	}
	b.WriteString(s[at:])
	return b.String(), repeated, cut
}

// around is a whole unit with the blanks behind it and, where it begins a line, those before
// it and the end of the line; of a paragraph with the blank lines behind it, too.
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

// spanLine is a line of --spans: the same bytes, or what is alike, stand in two places. Places are counted in
// runes, and in bytes of UTF-8.
type spanLine struct {
	ID    string   `json:"id"`
	Start int      `json:"start"`
	End   int      `json:"end"`
	Bytes [2]int   `json:"bytes"`
	From  spanFrom `json:"from"`
	// Similarity is how much alike the two are, where they are not equal.
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

// part tells a repeated part of a document.
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
		if w.spans == nil {
			continue
		}
		runes := s.Runes(doc.Text)
		err := w.spans.WriteJSON(spanLine{
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

// units are what is compared as a whole, "" where passages are.
func (p *passages) units() string {
	if p.unit == "passage" {
		return ""
	}
	return p.unit + "s"
}

// what is compared, in words.
func (p *passages) what() string {
	if units := p.units(); units != "" {
		return "whole " + units
	}
	return "passages of at least " + p.least
}

// summary prints what came of it.
func (w *passageWriter) summary() error {
	cpu, peak := resources()
	w.CPUSeconds, w.PeakMemory = cpu.Seconds(), peak
	return w.rep.summarize(w.passageSummary, w.Rejected, func(out io.Writer) {
		w.rep.documents(out, w.Documents, w.Rejected)
		fmt.Fprintf(out, "repeated    %s of %s bytes, in %s\n", grouped(w.Repeated), grouped(w.TextBytes), w.what())
		fmt.Fprintf(out, "to cut      %s bytes; %s more would end within %s, %s would leave a heading alone\n",
			grouped(w.Cut), grouped(w.Within), cmp.Or(w.units(), w.whole), grouped(w.Headings))
		if w.out != nil {
			fmt.Fprintf(out, "documents   %s cut, %s left out\n", grouped(w.Changed), grouped(w.Dropped))
		}
		w.rep.effort(out)
		if w.TemporaryBytes > 0 {
			fmt.Fprintf(out, "disk        %s of temporary files\n", mebibytes(w.TemporaryBytes))
		}
	})
}
