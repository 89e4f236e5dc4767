package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/report"
	"github.com/spf13/cobra"
)

// reportVerb makes the page of a run from the files that it left.
type reportVerb struct {
	*app
	input     inputFlags
	decisions string
	clusters  string
	rejects   string
	summary   string
	eval      string
	out       string
	opt       report.Options
	proof     evidenceFlags
	method    methodFlags
	run       runFlags
	copies    map[string]bool // ids whose text an earlier one has; nil: not wanted
	lab       *report.Lab
}

func reportCommand(a *app) *cobra.Command {
	p := &reportVerb{app: a}
	cmd := &cobra.Command{
		Use:   "report (--decisions FILE | --clusters FILE) --out FILE.html INPUT...",
		Short: "Make a page of a run: what was removed and why, and every group",
		Long: `Writes one HTML file with what a run of dedup decided: counts, reasons,
distributions, and every group with its texts, the differences marked. It needs
nothing else and loads nothing; a browser opens it. Pairs can be decided there,
and the decisions saved as files.

dedup --report FILE makes the same page in the run itself, with its times and
its command. Here the inputs are those of the run; --summary takes what it
printed with --json, --rejects its rejected records, --eval what eval --json
measured. With --evidence-floor the page has a view to choose a threshold by;
that compares the documents once more, so it takes the run's method, --keep and
--overrides.

` + exitHelp,
		Example: `  neardup dedup news.jsonl --decisions decisions.jsonl --json > summary.json
  neardup report --decisions decisions.jsonl --summary summary.json --out report.html news.jsonl
  neardup dedup news.jsonl --report report.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := a.inputs(args)
			if err != nil {
				return err
			}
			return p.do(cmd.Context(), inputs)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&p.decisions, "decisions", "", "decisions of the run (JSONL)")
	fs.StringVar(&p.clusters, "clusters", "", "clusters of the run (JSONL), where there are no decisions")
	fs.StringVar(&p.rejects, "rejects", "", "rejected records of the run (JSONL)")
	fs.StringVar(&p.summary, "summary", "", "what the run printed with --json")
	fs.StringVar(&p.eval, "eval", "", "what eval --json measured: the recall")
	fs.StringVar(&p.out, "out", "", `write the page here ("-": standard output)`)
	fs.IntVar(&p.opt.Groups, "groups", 100_000, "groups to show, the largest")
	fs.IntVar(&p.opt.TextRunes, "text-limit", 20_000, "characters to show of a text")
	p.proof.add(fs)
	p.run.addDecided(fs)
	p.run.addMachine(fs)
	p.method.add(fs)
	p.input.add(fs)
	return cmd
}

func (p *reportVerb) do(ctx context.Context, inputs []string) error {
	if p.out == "" || (p.decisions == "") == (p.clusters == "") {
		return usage("--out and one of --decisions and --clusters are needed")
	}
	r, err := p.input.open(p.app, inputs, "")
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.CheckOutput(p.out, p.decisions, p.clusters); err != nil {
		return usage("%w", err)
	}
	p.opt.Tmp = p.run.tmp
	b := report.New(p.opt)
	defer b.Close()
	run := report.Run{Made: time.Now().UTC().Truncate(time.Second), Version: version(), Inputs: r.Inputs(), Set: setName(r.Inputs())}
	if err := p.decide(b); err != nil {
		return err
	}
	if err := p.facts(&run); err != nil {
		return err
	}
	if err := p.evidence(ctx, inputs, b, &run); err != nil {
		return err
	}
	if err := b.Choose(); err != nil {
		return err
	}
	if err := p.documents(ctx, r, b, &run); err != nil {
		return err
	}
	var files outputs
	defer files.abort()
	out := files.file(p.app, p.out, corpus.HTML)
	if files.err != nil {
		return files.err
	}
	if err := b.Write(out, run); err != nil {
		return err
	}
	return files.commit()
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
			return p.noteCopy(&d)
		})
	}
	return textlines.Each(p.clusters, func(_ int, line []byte) error {
		var c struct {
			Leader     string `json:"leader"`
			Duplicates []struct {
				ID         string  `json:"id"`
				Similarity float64 `json:"similarity"`
			} `json:"duplicates"`
		}
		if err := textlines.Object(line, &c, "cluster"); err != nil {
			return err
		}
		if c.Leader == "" {
			return errors.New("no leader: what dedup --clusters writes is needed")
		}
		b.Decide(&neardup.Decision{ID: c.Leader, Decision: neardup.New})
		for _, d := range c.Duplicates {
			b.Decide(&neardup.Decision{ID: d.ID, Decision: neardup.Duplicate, Leader: c.Leader, Similarity: d.Similarity, Method: "-", Basis: "cluster"})
		}
		return nil
	})
}

// noteCopy notes a document that the evidence leaves out: its text is that of an
// earlier one.
func (p *reportVerb) noteCopy(d *neardup.Decision) error {
	if p.proof.floor == 0 {
		return nil
	}
	if p.copies == nil {
		p.copies = map[string]bool{}
	}
	if _, again := p.copies[d.ID]; again {
		return fmt.Errorf("the id %q is of several documents: their pairs cannot be told apart, make the page by dedup --report", d.ID)
	}
	p.copies[d.ID] = d.Decision == neardup.Duplicate && d.Basis == neardup.BasisEqual
	return nil
}

// evidence compares the documents of the run once more, for the view of
// thresholds.
func (p *reportVerb) evidence(ctx context.Context, inputs []string, b *report.Builder, run *report.Run) error {
	if err := p.proof.check(p.out, string(batch.ByLeader)); err != nil || p.proof.floor == 0 {
		return err
	}
	if p.decisions == "" {
		return usage("--evidence-floor needs --decisions: clusters do not say which documents are copies")
	}
	m, n, err := p.method.method()
	if err != nil {
		return err
	}
	spec := m.Spec().String()
	if name, _, _ := strings.Cut(spec, " "); run.Method != "" && (!strings.HasPrefix(run.Method, name+" ") || thresholdOf(run.Method) != thresholdOf(spec)) {
		return usage("the run was made by %s, and these flags say %s", run.Method, spec)
	}
	cfg, err := p.run.config(m, n)
	if err != nil {
		return err
	}
	r, err := p.input.open(p.app, inputs, "")
	if err != nil {
		return err
	}
	defer r.Close()
	copies := int64(0)
	for _, copied := range p.copies {
		if copied {
			copies++
		}
	}
	src := &distinct{source: newSource(r), copied: func(_ int, doc *neardup.Document) bool { return p.copies[doc.ID] }}
	if p.lab, err = p.proof.lab(ctx, p.method, cfg, src, copies, thresholdOf(spec)); err != nil {
		return err
	}
	b.Evidence(p.lab)
	return nil
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
		for _, b := range e.Bands {
			run.Recall = append(run.Recall, report.Band{
				From: b.Low, To: b.High, Pairs: int64(b.Recall.Of), Found: int64(b.Recall.Count),
				Recall: b.Recall.Share, Low: b.Recall.Low, High: b.Recall.High,
			})
		}
	}
	if p.rejects == "" {
		return nil
	}
	page := page{}
	err := textlines.Each(p.rejects, func(_ int, line []byte) error {
		var r corpus.RejectError
		if err := textlines.Object(line, &r, "rejected record"); err != nil {
			return err
		}
		page.reject(&r)
		return nil
	})
	run.Rejects, run.Rejected = page.rejects.List(), page.rejects.Count()
	return err
}

// documents reads the inputs and gives the report what it shows.
func (p *reportVerb) documents(ctx context.Context, r *corpus.Reader, b *report.Builder, run *report.Run) error {
	dec := r.NewDecoder()
	var lengths report.Lengths
	unknown := int64(0)
	err := eachItem(r, func(i int, it corpus.Item) error {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var doc neardup.Document
		var reject *corpus.RejectError
		if err := dec.Decode(it, &doc); errors.As(err, &reject) {
			return nil
		} else if err != nil {
			return err
		}
		run.Documents++
		if p.lab != nil {
			p.lab.Document(&doc)
		}
		lengths.Add(utf8.RuneCountInString(doc.Text))
		n, ok := b.Find(doc.ID)
		if !ok {
			unknown++
			return nil
		}
		return b.Document(n, &doc, it.File)
	})
	if err != nil {
		return err
	}
	if unknown > 0 && p.decisions != "" {
		return fmt.Errorf("%s documents have no decision in %s: other inputs?", grouped(unknown), p.decisions)
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
