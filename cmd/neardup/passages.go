package main

import (
	"cmp"
	"context"
	"os"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/passage"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

type passages struct {
	*app
	cutFlags
	input              inputFlags
	run                runFlags `flags:"!keep per overrides audit"`
	spans, out, shares string
	dropBelow          float64
	write              writes
}

// cutFlags say what is compared, and what of it is cut.
type cutFlags struct {
	fs    *pflag.FlagSet
	least string
	unit  string
	near  bool
	all   bool
	whole string
	mark  string
}

func (c *cutFlags) add(fs *pflag.FlagSet) {
	c.fs = fs
	bind(fs, "passages", flags{
		"least": &c.least, "unit": &c.unit, "near": &c.near, "all": &c.all, "whole": &c.whole, "mark": &c.mark,
	})
}

func (p *passages) do(ctx context.Context, inputs []string) error {
	cfg, cutter, err := p.config()
	if err != nil {
		return err
	}
	spool := cmp.Or(p.run.tmp, os.TempDir())
	return p.batchRun(&p.input, &p.run, inputs, spool, append(p.write.paths(), p.spans, p.out, p.shares), func(r *corpus.Reader, rep *reporter) (func() error, error) {
		if err := r.CanReplace(); err != nil && p.out != "" {
			return nil, usage("--out: %w; --spans says what is repeated", err)
		}
		w := passageWriter{passages: p, cutter: cutter, rep: rep, own: rep.open(p.shares, corpus.JSONL), spans: rep.open(p.spans, corpus.JSONL).WriteJSON}
		w.out, w.forms = rep.records(p.out, r), rep.forms(&p.write, "passages", r)
		if rep.err != nil {
			return nil, rep.err
		}
		rep.diskNeed()
		cfg.Reject, cfg.Progress = rep.reject, rep.progress
		return w.summary, p.find(ctx, r, cfg, &w)
	})
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
	if p.dropBelow > 0 && !p.all {
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
	if err := p.run.machine(nil); err != nil {
		return cfg, nil, err
	}
	if cfg, err = p.compared(); err != nil {
		return cfg, nil, err
	}
	switch {
	case p.out == "" && p.mark != "":
		return cfg, nil, usage("--mark has no effect without --out")
	case !p.writes() && p.dropBelow != 0:
		return cfg, nil, usage("--drop-below has no effect without --out or --write")
	case p.dropBelow > 1:
		return cfg, nil, usage("--drop-below %g is a share, of 0 to 1", p.dropBelow)
	}
	cfg.Tmp, cfg.Workers, cfg.Memory = p.run.tmp, p.run.workers, int64(p.run.memory)-ownPages
	cutter, err := p.cutter()
	return cfg, cutter, err
}

func (c *cutFlags) cutter() (*passage.Cutter, error) {
	return passage.NewCutter(cmp.Or(passage.Border(c.units()), passage.Border(c.whole)))
}

// writes reports whether documents can be left out of something.
func (p *passages) writes() bool { return p.out != "" || len(p.write.files) > 0 }

// compared checks the flags that say what is compared.
func (c *cutFlags) compared() (cfg passage.Config, err error) {
	switch passage.Border(c.whole) {
	case passage.WholeWords, passage.WholeSentences, passage.WholeLines, passage.WholeParagraphs:
	default:
		return cfg, usage("--whole %s is none of words, sentences, lines, paragraphs", c.whole)
	}
	switch c.unit {
	case "passage":
		if c.near {
			return cfg, usage("--near has no effect without --unit line, paragraph or sentence")
		}
	case "line", "paragraph", "sentence":
		cfg.Whole = passage.Border(c.units())
		if c.fs.Changed("whole") {
			return cfg, usage("--whole has no effect with --unit %s", c.unit)
		}
	default:
		return cfg, usage("--unit %s is none of passage, line, paragraph, sentence", c.unit)
	}
	if cfg.Whole == "" || c.fs.Changed("least") {
		if cfg.Least, err = passage.ParseLength(c.least); err != nil {
			return cfg, usage("--least %w", err)
		}
	}
	cfg.First = c.all
	if !c.near {
		return cfg, nil
	}
	cfg.Clean = text.Default()
	cfg.Near, err = methods.New(methods.Config{})
	return cfg, err
}
