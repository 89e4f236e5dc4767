package main

import (
	"context"
	"errors"
	"regexp"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/report"
	"github.com/spf13/pflag"
)

// evidenceFlags ask for what a threshold can be chosen by.
type evidenceFlags struct {
	floor  float64
	labels string
}

func (f *evidenceFlags) add(fs *pflag.FlagSet) {
	fs.Float64Var(&f.floor, "evidence-floor", 0, "with --report: keep all verified pairs from this similarity on, to choose a threshold by")
	fs.StringVar(&f.labels, "labels", "", "with --evidence-floor: pairs that people have judged (as for eval --judged)")
}

func (f *evidenceFlags) check(report, link string) error {
	switch {
	case f.floor == 0 && f.labels == "":
		return nil
	case f.floor <= 0 || f.floor > 1:
		return usage("--evidence-floor %v is not in (0, 1]", f.floor)
	case report == "":
		return usage("--evidence-floor has no effect without --report")
	case batch.Link(link) != batch.ByLeader:
		return usage("--evidence-floor decides by leaders: not with --link %s", link)
	}
	return nil
}

// errCopy stands for a document that is left out: an earlier one has its text.
var errCopy = errors.New("a copy")

// distinct reads a corpus without copies.
type distinct struct {
	*source
	copies *bitmap
	items  int
}

// Next returns the next records.
func (d *distinct) Next() (batch.Block, error) {
	b, err := d.source.Next()
	if err != nil {
		return nil, err
	}
	first := d.items
	if n, ok := b.(*block); ok {
		d.items += len(n.entries)
	}
	return distinctBlock{b, d.copies, first}, nil
}

type distinctBlock struct {
	batch.Block
	copies *bitmap
	first  int
}

// Decode passes on what is no copy.
func (b distinctBlock) Decode(item func(*neardup.Document, error)) {
	i := b.first
	b.Block.Decode(func(doc *neardup.Document, err error) {
		if b.copies.has(i) {
			doc, err = nil, errCopy
		}
		i++
		item(doc, err)
	})
}

// evidence finds all verified pairs from the floor on, by a run of its own
// over the texts that are no copies. A copy is removed at any threshold and
// never leads, so it changes nothing for others.
func (d *dedup) evidence(ctx context.Context, first *corpus.Reader, cfg batch.Config, rep *reporter, spec string) error {
	if d.proof.floor == 0 {
		return nil
	}
	flags := d.method
	flags.cfg.Threshold = d.proof.floor
	m, n, err := flags.method()
	if err != nil {
		return err
	}
	threshold := thresholdOf(spec)
	if d.proof.floor > threshold {
		return usage("--evidence-floor %v is above the threshold %v", d.proof.floor, threshold)
	}
	labels, err := labelsOf(d.proof.labels)
	if err != nil {
		return err
	}
	r, err := first.Again()
	if err != nil {
		return err
	}
	defer r.Close()
	lab := report.NewLab(d.proof.floor, threshold, rep.page.nCopies, labels, func(a, b string) neardup.Match {
		return verdict(m, n.Clean(a), n.Clean(b))
	})
	cfg.Method, cfg.Clusters, cfg.Reject, cfg.Audit = m, nil, nil, nil
	_, err = batch.Pairs(ctx, &distinct{source: newSource(r), copies: &rep.page.copies}, cfg, func(p batch.Pair) error {
		lab.Pair(p.A, p.B, int64(p.Earlier), int64(p.Later), p.Match)
		return nil
	})
	if err != nil {
		return err
	}
	lab.Choose()
	rep.page.lab = lab
	rep.page.builder.Evidence(lab)
	return nil
}

var thresholdParam = regexp.MustCompile(`\bthreshold=([0-9.]+)`)

// thresholdOf reads the threshold off a spec.
func thresholdOf(spec string) float64 {
	if m := thresholdParam.FindStringSubmatch(spec); m != nil {
		if t, err := strconv.ParseFloat(m[1], 64); err == nil {
			return t
		}
	}
	return 1
}

// labelsOf reads judged pairs; none without a path.
func labelsOf(path string) ([]report.Label, error) {
	if path == "" {
		return nil, nil
	}
	pairs, err := eval.ReadJudged(path)
	if err != nil {
		return nil, err
	}
	labels := make([]report.Label, len(pairs))
	for i, p := range pairs {
		labels[i] = report.Label{A: p.A, B: p.B, Label: p.Label}
	}
	return labels, nil
}
