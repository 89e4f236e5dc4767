package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/report"
)

// page builds the report of a run. The engine adds decisions by item, and a second reading of the inputs adds
// the documents.
type page struct {
	builder *report.Builder
	out     *corpus.AtomicFile
	lengths report.Lengths
	numbers []int32 // index of the decision on an item, plus 1
	copies  bitmap  // items whose text equals an earlier one
	nCopies int64
	lab     *report.Lab   // nil if not requested
	known   map[int64]int // index number of a document -> index of its decision
	stages  []report.Stage
	since   time.Time     // start of the running phase
	cpu     time.Duration // CPU time of the run before that
	phase   string
}

func (p *page) addOutcome(o *batch.Outcome) {
	for len(p.numbers) <= o.Item {
		p.numbers = append(p.numbers, 0)
	}
	if o.Decision.Decision == neardup.Duplicate && o.Basis == neardup.BasisEqual {
		p.copies.set(o.Item)
		p.nCopies++
	}
	if o.Known < 0 {
		p.numbers[o.Item] = int32(p.builder.Add(&o.Decision)) + 1
		return
	}
	if _, ok := p.known[o.Known]; !ok {
		if p.known == nil {
			p.known = map[int64]int{}
		}
		p.known[o.Known] = p.builder.AddKnown(cmp.Or(o.Leader, o.VariantOf))
	}
	p.numbers[o.Item] = int32(p.builder.AddToKnown(&o.Decision)) + 1
}

// leaders adds the shown documents of an index to the report.
func (p *page) leaders(a *against) error {
	for doc, number := range p.known {
		if !p.builder.Wants(number) {
			continue
		}
		row, err := a.index.Row(uint32(doc))
		if err != nil {
			return err
		}
		shown, err := documentOf(a.index, &row)
		if err != nil {
			return err
		}
		if err := p.builder.Document(number, &shown, a.name, ""); err != nil {
			return err
		}
	}
	return nil
}

// document adds the document of an item, if the report shows it.
func (p *page) document(item int, it corpus.Item, dec *corpus.Decoder) error {
	number := -1
	if item < len(p.numbers) {
		number = int(p.numbers[item]) - 1
	}
	if p.lab == nil && (number < 0 || !p.builder.Wants(number)) {
		return nil
	}
	var doc neardup.Document
	if ok, err := decoded(dec, it, &doc); !ok {
		return err
	}
	if p.lab != nil {
		p.lab.Document(&doc)
	}
	if number < 0 {
		return nil
	}
	return p.builder.Document(number, &doc, it.File, thumbnail(it.Raw))
}

// reached ends the previous phase of the run and begins the named one.
func (p *page) reached(phase string) {
	cpu, peak := resources()
	if p.phase != "" {
		p.stages = append(p.stages, report.Stage{Name: p.phase, Seconds: time.Since(p.since).Seconds(), CPU: (cpu - p.cpu).Seconds(), PeakBytes: peak})
	}
	p.phase, p.since, p.cpu = phase, time.Now(), cpu
}

func (p *page) write(sum *batch.Summary, inputs []string, rejected *rejects) error {
	defer p.builder.Close()
	p.reached("")
	measured, err := quality(sum.Audit)
	if err != nil {
		return err
	}
	return p.builder.Write(p.out, report.Run{
		Made: time.Now().UTC().Truncate(time.Second), Version: version(), Command: commandLine(os.Args), Inputs: inputs, Set: setName(inputs),
		Method: sum.Method, Digest: sum.Digest, Texts: sum.Texts, Rejects: rejected.list(), Rejected: rejected.count,
		Stages: p.stages, Quality: measured, Lengths: p.lengths.Bins(),
	})
}

// setName returns a name for a set of documents, made from its first file.
func setName(inputs []string) string {
	name, _, _ := strings.Cut(filepath.Base(inputs[0]), ".")
	return name
}

// commandLine quotes arguments for a shell.
func commandLine(args []string) string {
	out := []string{filepath.Base(args[0])}
	for _, a := range args[1:] {
		if a == "" || strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+%@") != "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}

// eachItem calls do for every record with its number, to write it. Rejected records count but are skipped.
func (p *reporter) eachItem(ctx context.Context, do func(item int, it corpus.Item) error) error {
	i := -1
	for it, err := range p.r.Items() {
		i++
		if i&0xfff == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.progress(batch.Progress{Phase: "write", Documents: int64(i)})
		}
		if err == nil {
			err = do(i, it)
		} else if corpus.Rejected(err) != nil {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decoded decodes a record. ok is false if the record is rejected.
func decoded(dec *corpus.Decoder, it corpus.Item, doc *neardup.Document) (ok bool, err error) {
	err = dec.Decode(it, doc)
	if corpus.Rejected(err) != nil {
		return false, nil
	}
	return err == nil, err
}

// reportVerb makes the report page of a run from the files that the run wrote.
type reportVerb struct {
	*app
	input                         inputFlags
	decisions, summary, eval, out string
	groups, textLimit             int
	tmp                           string
}

func (p *reportVerb) do(ctx context.Context, inputs []string) error {
	return p.batchRun(&p.input, &runFlags{}, inputs, false, func(r *corpus.Reader, rep *reporter) (result, error) {
		rep.paths = []string{p.decisions} // the page must not replace its inputs
		b := report.New(report.Options{Groups: p.groups, TextRunes: p.textLimit, Tmp: p.tmp})
		defer b.Close()
		run := report.Run{Made: time.Now().UTC().Truncate(time.Second), Version: version(), Inputs: r.Inputs(), Set: setName(r.Inputs())}
		decided := int64(0)
		err := textlines.Each(p.decisions, func(_ int, line []byte) error {
			var d neardup.Decision
			err := textlines.Object(line, &d, "decision")
			if err == nil && d.Decision == "" {
				err = errors.New("not a decision (want the output of dedup --decisions)")
			}
			b.Add(&d)
			decided++
			return err
		})
		if err := cmp.Or(err, p.facts(&run)); err != nil {
			return nil, err
		}
		if err := b.Choose(); err != nil {
			return nil, err
		}
		if err := p.documents(ctx, rep, b, &run, decided); err != nil {
			return nil, err
		}
		out := rep.open(p.out, corpus.HTML)
		if rep.err != nil {
			return nil, rep.err
		}
		return nil, b.Write(out, run)
	})
}

func (p *reportVerb) facts(run *report.Run) error {
	if p.summary != "" {
		var s summary
		if err := readJSON(p.summary, &s, "summary"); err != nil {
			return err
		}
		if s.Summary != nil {
			run.Method, run.Digest, run.Texts = s.Method, s.Digest, s.Texts
			run.Rejected, run.Quality = s.Rejected, s.Audit
			run.Stages = []report.Stage{
				{Name: "read", Seconds: s.ReadTime.Seconds()},
				{Name: "all", Seconds: s.Time.Seconds(), CPU: s.CPUSeconds, PeakBytes: s.PeakMemory},
			}
		}
	}
	if p.eval != "" {
		var e eval.Report
		if err := readJSON(p.eval, &e, "measurement"); err != nil {
			return err
		}
		if e.Bands == nil {
			return fmt.Errorf("%s: no recall by similarity (want the output of eval --truth FILE --pairs FILE --json)", p.eval)
		}
		run.Recall = e.Bands
	}
	return nil
}

func (p *reportVerb) documents(ctx context.Context, rep *reporter, b *report.Builder, run *report.Run, decided int64) error {
	var lengths report.Lengths
	var unknown int64
	var n readCounts
	type found struct {
		*neardup.Document
		corpus.Item
	}
	err := eachDocument(ctx, rep, "read", &n, func(_ *corpus.Decoder, it corpus.Item, doc *neardup.Document) (found, error) {
		return found{doc, it}, nil
	}, func(doc found) error {
		lengths.Add(utf8.RuneCountInString(doc.Text))
		i, ok := b.Find(doc.ID)
		if !ok {
			unknown++
			return nil
		}
		return b.Document(i, doc.Document, doc.File, thumbnail(doc.Raw))
	})
	run.Documents = n.Documents
	switch {
	case err != nil:
		return err
	case unknown > 0:
		return fmt.Errorf("%s documents: no decision in %s (want the inputs of that run)", grouped(unknown), p.decisions)
	case run.Documents < decided:
		return fmt.Errorf("%s decisions in %s: no document in the inputs (want the inputs of that run)", grouped(decided-run.Documents), p.decisions)
	}
	run.Lengths, run.Rejects, run.Rejected = lengths.Bins(), rep.rejected.list(), max(run.Rejected, rep.rejected.count)
	return nil
}

func readJSON(path string, v any, what string) error {
	b, err := os.ReadFile(path)
	if err == nil {
		err = textlines.Object(b, v, what)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// evidenceFlags are the options of --write report that help to choose a threshold.
type evidenceFlags struct {
	floor  float64
	labels string
}

func (f *evidenceFlags) read(w *writes, link string, against []string) (err error) {
	given := w.option("report", "floor")
	f.labels = w.option("report", "labels")
	if given == "" && f.labels == "" {
		return nil
	}
	f.floor, err = strconv.ParseFloat(given, 64)
	if err != nil || !(f.floor > 0 && f.floor <= 1) {
		return usage("--write report,floor=%s: out of range (want above 0, at most 1)", given)
	}
	switch {
	case batch.Link(link) != batch.ByLeader:
		return usage("--write report,floor cannot be combined with --link %s", link)
	case len(against) > 0:
		return usage("--write report,floor cannot be combined with --against")
	}
	return nil
}

// evidence finds all verified pairs from the floor on in a separate run over the texts that are not copies. A copy
// is removed at any threshold and never leads, so it does not affect other documents.
func (d *dedup) evidence(ctx context.Context, cfg batch.Config, rep *reporter, spec string) error {
	floor, threshold := d.proof.floor, thresholdOf(spec)
	switch {
	case floor == 0:
		return nil
	case floor > threshold:
		return usage("--write report,floor=%v: above the threshold %v", floor, threshold)
	}
	m, n, err := d.method.at(floor)
	if err != nil {
		return err
	}
	var labels []eval.JudgedPair
	if d.proof.labels != "" {
		labels, err = eval.ReadJudged(d.proof.labels)
	}
	if err == nil {
		err = rep.reread()
	}
	if err != nil {
		return err
	}
	src, page := newSource(rep.r), rep.page
	src.copies = &page.copies
	page.lab = report.NewLab(floor, threshold, page.nCopies, labels, func(a, b string) neardup.Match {
		return verdict(m, n.Clean(a), n.Clean(b))
	})
	cfg.Method, cfg.Clean, cfg.Clusters, cfg.Reject, cfg.Audit = m, n, nil, nil, nil
	_, err = batch.Pairs(ctx, src, cfg, func(p batch.Pair) error {
		page.lab.AddPair(p.A, p.B, int64(p.Earlier), int64(p.Later), p.Match)
		return nil
	})
	if err == nil {
		page.lab.Choose()
		page.builder.Evidence(page.lab)
	}
	return err
}

var thresholdParam = regexp.MustCompile(`\bthreshold=([0-9.]+)`)

func thresholdOf(spec string) float64 {
	if m := thresholdParam.FindStringSubmatch(spec); m != nil {
		if t, err := strconv.ParseFloat(m[1], 64); err == nil {
			return t
		}
	}
	return 1
}
