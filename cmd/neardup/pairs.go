package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/worker"
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
	return p.batchRun(&p.input, &p.run, inputs, false, func(r *corpus.Reader, rep *reporter) (func() error, error) {
		rep.method = &p.method
		lines := pairLines{exact: p.exact}
		if f := corpus.FormatOf(p.out); f != corpus.TSV && slices.Contains(corpus.TableFormats(), f) {
			lines.rows = rep.open(p.out, corpus.JSONL)
		} else {
			lines.out = rep.open(p.out, corpus.TSV)
		}
		if err := rep.begun(); err != nil {
			return nil, err
		}
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
	if cfg, err = p.run.config(&p.method); err != nil {
		return cfg, err
	}
	cfg.Variants = p.withVariants
	if len(p.against.paths) == 0 && p.run.per == "" {
		cfg.Audit = p.method.audit(p.run.audit, cfg.Method, !p.run.quiet || p.run.json)
	}
	return cfg, p.against.refuse(map[string]bool{"overrides": p.run.overrides != "", "per": p.run.per != "", "audit": p.run.audit.asked()})
}

// pairLines writes pairs as a table, in few columns or with all evidence.
type pairLines struct {
	out   io.Writer
	rows  *corpus.AtomicFile // instead of out: objects, or a table by its name
	exact bool
	line  []byte
}

// listedRow is a pair in other formats than TSV.
type listedRow struct {
	A          string         `json:"id_a"`
	B          string         `json:"id_b"`
	Similarity float64        `json:"similarity"`
	Distance   *int           `json:"distance"`
	Relation   batch.Relation `json:"relation"`
	Basis      string         `json:"basis"`
}

func (w *pairLines) header() error {
	if w.rows != nil {
		return nil
	}
	columns := "id_a\tid_b\tsimilarity"
	if w.exact {
		columns += "\tdistance\trelation\tbasis\tplace_a\tplace_b"
	}
	_, err := io.WriteString(w.out, columns+"\n")
	return err
}

func (w *pairLines) pair(p batch.Pair) error {
	if w.rows != nil {
		row := listedRow{A: p.A, B: p.B, Similarity: p.Similarity, Relation: p.Relation(), Basis: p.Basis}
		if p.Distance >= 0 {
			row.Distance = &p.Distance
		}
		return w.rows.WriteJSON(row)
	}
	b := appendIDs(w.line[:0], p.A, p.B)
	if w.exact {
		b = strconv.AppendFloat(b, p.Similarity, 'g', -1, 64)
		b = append(b, '\t')
		if p.Distance >= 0 {
			b = strconv.AppendInt(b, int64(p.Distance), 10)
		}
		b = appendf(b, "\t%s\t%s\t%d\t%d", p.Relation(), worker.Escape(p.Basis), p.Earlier, p.Later)
	} else {
		b = strconv.AppendFloat(b, p.Similarity, 'f', 4, 64)
	}
	w.line = append(b, '\n')
	_, err := w.out.Write(w.line)
	return err
}
