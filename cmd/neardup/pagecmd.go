package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/report"
)

// reportVerb makes the page of a run from the files that it left.
type reportVerb struct {
	*app
	input                                            inputFlags
	decisions, clusters, rejects, summary, eval, out string
	groups, textLimit                                int
	tmp                                              string
	decided                                          int64 `flags:"-"` // decisions that were read
}

func (p *reportVerb) do(ctx context.Context, inputs []string) error {
	if p.out == "" || (p.decisions == "") == (p.clusters == "") {
		return usage("--out and one of --decisions and --clusters are needed")
	}
	return p.batchRun(&p.input, &runFlags{}, inputs, "", []string{p.out, p.decisions, p.clusters}, func(r *corpus.Reader, rep *reporter) (func() error, error) {
		b := report.New(report.Options{Groups: p.groups, TextRunes: p.textLimit, Tmp: p.tmp})
		defer b.Close()
		run := report.Run{Made: time.Now().UTC().Truncate(time.Second), Version: version(), Inputs: r.Inputs(), Set: setName(r.Inputs())}
		if err := cmp.Or(p.decide(b), p.facts(&run)); err != nil {
			return nil, err
		}
		if err := b.Choose(); err != nil {
			return nil, err
		}
		if err := p.documents(ctx, r, rep, b, &run); err != nil {
			return nil, err
		}
		out := rep.open(p.out, corpus.HTML)
		if rep.err != nil {
			return nil, rep.err
		}
		return func() error { return nil }, b.Write(out, run)
	})
}

// decide reads the decisions, or what clusters tell of them.
func (p *reportVerb) decide(b *report.Builder) error {
	if p.decisions != "" {
		return textlines.Each(p.decisions, func(_ int, line []byte) error {
			var d neardup.Decision
			if err := textlines.Object(line, &d, "decision"); err != nil {
				return err
			}
			if d.Decision == "" {
				return errors.New("no decision: what dedup --decisions writes is needed")
			}
			b.Decide(&d)
			p.decided++
			return nil
		})
	}
	return eachCluster(p.clusters, func(leader string, duplicates []clustered) error {
		b.Decide(&neardup.Decision{ID: leader, Decision: neardup.New})
		for _, d := range duplicates {
			b.Decide(&neardup.Decision{ID: d.ID, Decision: neardup.Duplicate, Leader: leader, Similarity: d.Similarity, Method: "-", Basis: "cluster"})
		}
		return nil
	})
}

// facts reads what else is known of the run.
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
			return fmt.Errorf("%s holds no recall by similarity, which eval --truth FILE --pairs FILE --json measures", p.eval)
		}
		run.Recall = e.Bands
	}
	if p.rejects == "" {
		return nil
	}
	var rejected rejects
	err := textlines.Each(p.rejects, func(_ int, line []byte) error {
		var r corpus.RejectError
		if err := textlines.Object(line, &r, "rejected record"); err != nil {
			return err
		}
		rejected.add(&r)
		return nil
	})
	run.Rejects, run.Rejected = rejected.list(), rejected.count
	return err
}

// documents reads the inputs and gives the report what it shows.
func (p *reportVerb) documents(ctx context.Context, r *corpus.Reader, rep *reporter, b *report.Builder, run *report.Run) error {
	dec := r.NewDecoder()
	var lengths report.Lengths
	var unknown int64
	err := eachItem(ctx, r, func(int) {}, func(_ int, it corpus.Item) error {
		var doc neardup.Document
		switch err := dec.Decode(it, &doc); {
		case corpus.Rejected(err) != nil:
			return rep.reject(0, err)
		case err != nil:
			return err
		}
		run.Documents++
		lengths.Add(utf8.RuneCountInString(doc.Text))
		n, ok := b.Find(doc.ID)
		if !ok {
			unknown++
			return nil
		}
		return b.Document(n, &doc, it.File, thumbnail(it.Raw))
	})
	if err == nil {
		err = rep.nothingRead(run.Documents)
	}
	switch {
	case err != nil:
		return err
	case p.decisions != "" && unknown > 0:
		return fmt.Errorf("%s documents have no decision in %s: other inputs?", grouped(unknown), p.decisions)
	case p.decisions != "" && run.Documents < p.decided:
		return fmt.Errorf("%s decisions in %s are of documents that the inputs lack: other inputs?", grouped(p.decided-run.Documents), p.decisions)
	}
	run.Lengths = lengths.Bins()
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
