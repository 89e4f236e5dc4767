package main

import (
	"context"
	"errors"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	cmd := &cobra.Command{
		Use:   "pairs [flags] INPUT...",
		Short: "List every verified pair of near-duplicates",
		Long: `Lists every pair of documents that is near, as tab-separated lines under the
header "id_a id_b similarity". The similarity is exact, to four decimals. All
pairs of a method that is exact (jaccard, ngram), and the stated share for
minhash. n equal documents make n*(n-1)/2 pairs. With --exact lines hold all
that a decision needs: similarity to the last bit, distance, relation (copy,
edited, contained, variant, ruled), basis, and the places of both documents in the order of --keep.

With --against pairs of a new document and one that is there already are listed, too.

` + exitHelp,
		Example: `  neardup pairs --method jaccard --threshold .7 news.jsonl.zst > pairs.tsv
  neardup pairs --method 'minhash threshold=.7 shingle=words:3' --out pairs.tsv terms.jsonl
  neardup pairs --format lines --method 'ngram similarity=edit' headlines.txt
  neardup pairs february.jsonl --against crawl.index`,
		RunE: a.onInputs(p.do),
	}
	fs := cmd.Flags()
	grouping(fs, outputGroup, p.addOutput)
	p.input.add(fs)
	p.input.addPixels(fs)
	p.against.addFlags(fs)
	p.method.add(fs)
	p.method.addImages(fs)
	p.run.add(fs)
	return cmd
}

func (p *pairs) addOutput(fs *pflag.FlagSet) {
	fs.BoolVar(&p.exact, "exact", false, "more columns: exact similarity, distance, relation, basis, places")
	fs.BoolVar(&p.variants, "with-variants", false, "list variants too: similar, and not the same; the relation is in --exact")
	fs.StringVar(&p.out, "out", "-", `write the pairs here ("-": standard output)`)
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
