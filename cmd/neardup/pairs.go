package main

import (
	"context"
	"errors"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
)

type pairs struct {
	*app
	input               inputFlags
	method              methodFlags
	run                 runFlags
	out                 string
	against             againstFlags `flags:"against"`
	exact, withVariants bool
}

func (p *pairs) do(ctx context.Context, inputs []string) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	p.input.opt.Fields = cfg.Fields()
	ref, err := p.against.open(ctx, comparing{p.app, &p.input, &p.method, p.run.tmp}, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ref.close()) }()
	return p.batchRun(&p.input, &p.run, inputs, "", []string{p.out}, func(r *corpus.Reader, rep *reporter) (func() error, error) {
		rep.method = &p.method
		lines := pairLines{out: rep.open(p.out, corpus.TSV), exact: p.exact}
		if rep.err != nil {
			return nil, rep.err
		}
		rep.diskNeed()
		cfg.Reject, cfg.Progress = rep.reject, rep.progress
		if err := lines.header(); err != nil {
			return nil, err
		}
		sum, err := batch.Pairs(ctx, newSource(r), cfg, lines.pair)
		if err != nil {
			return nil, err
		}
		return func() error { return rep.pairs(sum) }, rep.nothingRead(sum.Documents)
	})
}

// config checks the flags and makes the engine's configuration.
func (p *pairs) config() (cfg batch.Config, err error) {
	if err := p.against.settings(&p.method); err != nil {
		return cfg, err
	}
	m, n, err := p.method.method()
	if err != nil {
		return cfg, err
	}
	if cfg, err = p.run.config(m, n); err != nil {
		return cfg, err
	}
	cfg.Variants = p.withVariants
	if len(p.against.paths) == 0 && p.run.per == "" {
		cfg.Audit = p.method.audit(p.run.audit, m, !p.run.quiet || p.run.json)
	}
	return cfg, p.against.refuse(map[string]bool{"overrides": p.run.overrides != "", "per": p.run.per != "", "audit": p.run.audit.asked()})
}
