package main

import (
	"context"
	"regexp"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/report"
)

// evidenceFlags are the options of --write report that help to choose a threshold.
type evidenceFlags struct {
	floor  float64
	labels string
}

// read reads the options of --write report.
func (f *evidenceFlags) read(w *writes, link string) (err error) {
	given := w.option("report", "floor")
	f.labels = w.option("report", "labels")
	if given == "" && f.labels == "" {
		return nil
	}
	if f.floor, err = strconv.ParseFloat(given, 64); err != nil || !(f.floor > 0 && f.floor <= 1) {
		return usage("--write report,floor=%s: not a similarity in (0, 1]", given)
	}
	if batch.Link(link) != batch.ByLeader {
		return usage("--write report,floor decides by leaders: not with --link %s", link)
	}
	return nil
}

// evidence adds the evidence for choosing a threshold to the page.
func (d *dedup) evidence(ctx context.Context, first *corpus.Reader, cfg batch.Config, rep *reporter, spec string) error {
	if d.proof.floor == 0 {
		return nil
	}
	r, err := first.Again()
	if err != nil {
		return err
	}
	defer r.Close()
	src := newSource(r)
	src.copies = &rep.page.copies
	if rep.page.lab, err = d.proof.lab(ctx, d.method, cfg, src, rep.page.nCopies, thresholdOf(spec)); err != nil {
		return err
	}
	rep.page.builder.Evidence(rep.page.lab)
	return nil
}

// lab finds all verified pairs from the floor on in a separate run over the texts that are not copies. A copy
// is removed at any threshold and never leads, so it does not affect other documents.
func (f *evidenceFlags) lab(ctx context.Context, flags methodFlags, cfg batch.Config, src batch.Source, copies int64, threshold float64) (*report.Lab, error) {
	m, n, err := flags.at(f.floor)
	if err != nil {
		return nil, err
	}
	if f.floor > threshold {
		return nil, usage("--write report,floor=%v: above the threshold %v", f.floor, threshold)
	}
	var labels []eval.JudgedPair
	if f.labels != "" {
		if labels, err = eval.ReadJudged(f.labels); err != nil {
			return nil, err
		}
	}
	lab := report.NewLab(f.floor, threshold, copies, labels, func(a, b string) neardup.Match {
		return verdict(m, n.Clean(a), n.Clean(b))
	})
	cfg.Method, cfg.Clean, cfg.Clusters, cfg.Reject, cfg.Audit = m, n, nil, nil, nil
	_, err = batch.Pairs(ctx, src, cfg, func(p batch.Pair) error {
		lab.Pair(p.A, p.B, int64(p.Earlier), int64(p.Later), p.Match)
		return nil
	})
	if err != nil {
		return nil, err
	}
	lab.Choose()
	return lab, nil
}

var thresholdParam = regexp.MustCompile(`\bthreshold=([0-9.]+)`)

// thresholdOf parses the threshold of a spec.
func thresholdOf(spec string) float64 {
	if m := thresholdParam.FindStringSubmatch(spec); m != nil {
		if t, err := strconv.ParseFloat(m[1], 64); err == nil {
			return t
		}
	}
	return 1
}
