package main

import (
	"context"
	"errors"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/spf13/cobra"
)

type pairs struct {
	*app
	input  inputFlags
	method methodFlags
	run    runFlags
	out    string

	against againstFlags

	exact    bool
	variants bool
}

func pairsCommand(a *app) *cobra.Command {
	p := &pairs{app: a}
	cmd := verb("pairs", nil, a.onInputs(p.do))
	fs := cmd.Flags()
	bind(fs, "pairs", flags{"exact": &p.exact, "with-variants": &p.variants, "out": &p.out})
	p.input.add(fs)
	p.input.addPixels(fs)
	p.against.addFlags(fs)
	p.method.add(fs)
	p.method.addImages(fs)
	p.run.add(fs)
	return cmd
}

func (p *pairs) do(ctx context.Context, inputs []string) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	p.input.opt.Fields = cfg.Fields()
	r, err := p.input.openFor(p.app, inputs, "", p.out, p.run.rejects)
	if err != nil {
		return err
	}
	defer r.Close()
	ref, err := p.against.open(ctx, comparing{p.app, &p.input, &p.method, p.run.tmp}, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ref.close()) }()
	rep := newReporter(p.app, &p.run, r)
	defer rep.abort()
	rep.method = &p.method
	out := rep.open(p.out, corpus.TSV)
	if rep.err != nil {
		return rep.err
	}
	rep.diskNeed()
	cfg.Reject, cfg.Progress = rep.reject, rep.progress
	lines := pairLines{out: out, exact: p.exact}
	if err := lines.header(); err != nil {
		return err
	}
	sum, err := batch.Pairs(ctx, newSource(r), cfg, lines.pair)
	if err != nil {
		return err
	}
	if err := rep.nothingRead(sum.Documents); err != nil {
		return err
	}
	if err := rep.commit(); err != nil {
		return err
	}
	return rep.pairs(sum)
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
	cfg.Variants = p.variants
	if len(p.against.paths) == 0 && p.run.per == "" {
		cfg.Audit = p.method.audit(p.run.audit, m, !p.run.quiet || p.run.json)
	}
	return cfg, p.against.refuse(map[string]bool{"overrides": p.run.ruled != "", "per": p.run.per != "", "audit": p.run.audit.asked()})
}
