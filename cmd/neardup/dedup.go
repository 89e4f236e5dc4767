package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
)

type dedup struct {
	*app
	input                inputFlags
	method               methodFlags
	run                  runFlags
	out, decisions, link string
	write                writes
	against              againstFlags
	resume               resumeFlag
	proof                evidenceFlags `flags:"-"`
}

func (d *dedup) do(ctx context.Context, inputs []string) (err error) {
	cfg, err := d.config()
	if err != nil {
		return err
	}
	d.input.opt.Fields = cfg.Fields()
	ref, err := d.against.open(ctx, comparing{d.app, &d.input, &d.method, d.run.tmp}, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ref.close(), d.resume.close()) }()
	outputs := append(d.write.paths(), d.out, d.decisions)
	return d.batchRun(&d.input, &d.run, inputs, d.spool(), outputs, func(r *corpus.Reader, rep *reporter) (func() error, error) {
		if err := d.resume.open(r, &cfg); err != nil {
			return nil, err
		}
		run := dedupRun{dedup: d, r: r, rep: rep}
		defer run.close()
		if err := run.open(&cfg); err != nil {
			return nil, err
		}
		sum, kept, err := decideAll(ctx, r, cfg, rep, run.results)
		if err != nil {
			return nil, d.resume.finished(d.app, err)
		}
		if err := d.evidence(ctx, r, cfg, rep, sum.Method); err != nil {
			return nil, err
		}
		if err := run.second(ctx, kept); err != nil {
			return nil, err
		}
		if page := rep.page; page != nil {
			if err := errors.Join(page.leaders(ref), page.write(sum, r.Inputs(), &rep.rejected)); err != nil {
				return nil, err
			}
		}
		rep.last, err = ref.outputs()
		return func() error {
			if err := ref.settle(ctx); err != nil {
				return err
			}
			if err := d.resume.settle(); err != nil {
				return err
			}
			return rep.dedup(sum)
		}, err
	})
}

// dedupRun is where the results of a run go.
type dedupRun struct {
	*dedup
	r       *corpus.Reader
	rep     *reporter
	out     *corpus.Writer // nil: kept documents are not written
	results *results
	groups  *groupWriter // nil: likewise
	forms   interopWriters
}

// open begins all outputs, and has the engine tell them.
func (w *dedupRun) open(cfg *batch.Config) (err error) {
	d := w.dedup
	w.rep.method = &d.method
	decisions, clusters := w.rep.open(d.decisions, corpus.JSONL), w.rep.open(d.write.path("clusters"), corpus.TableFormats()...)
	grouped := w.rep.open(d.write.path("groups"), corpus.TableFormats()...)
	w.rep.page = newPage(w.rep.open(d.write.path("report"), corpus.HTML), d.run.tmp)
	w.out, w.forms = w.rep.records(d.out, w.r), w.rep.forms(&d.write, "duplicate", w.r)
	if w.rep.err != nil {
		return w.rep.err
	}
	w.rep.diskNeed()
	cfg.Reject, cfg.Progress = w.rep.reject, w.rep.progress
	if w.results, err = d.results(w.r, decisions, clusters); err != nil {
		return err
	}
	w.groups, err = d.grouped(cfg, grouped, w.results, w.r)
	return err
}

// close frees what is open.
func (w *dedupRun) close() {
	if w.results != nil {
		w.results.close()
	}
	if w.groups != nil {
		w.groups.files.Close()
	}
}

// decideAll reads the input once and tells results what became of each document;
// kept are the items that stay.
func decideAll(ctx context.Context, r *corpus.Reader, cfg batch.Config, rep *reporter, results *results) (*batch.Summary, *bitmap, error) {
	src, kept := newSource(r), &bitmap{}
	src.notes = results.notes
	if rep.page != nil {
		src.lengths = &rep.page.lengths
	}
	sum, err := batch.Dedup(ctx, src, cfg, func(o batch.Outcome) error {
		if o.Decision.Decision == neardup.New {
			kept.set(o.Item)
		}
		if cfg.Add != nil && o.LeaderItem < 0 && o.Leader == o.ID {
			rep.again++
		}
		if rep.page != nil {
			rep.page.decide(&o)
		}
		return results.decide(o)
	})
	if err == nil {
		err = results.end()
	}
	if err != nil {
		return nil, nil, err
	}
	return sum, kept, rep.nothingRead(sum.Documents)
}

// config checks the flags and makes the engine's configuration.
func (d *dedup) config() (batch.Config, error) {
	if err := d.against.settings(&d.method); err != nil {
		return batch.Config{}, err
	}
	m, n, err := d.method.method()
	if err != nil {
		return batch.Config{}, err
	}
	cfg, err := d.run.config(m, n)
	if err != nil {
		return cfg, err
	}
	cfg.Audit = d.method.audit(d.run.audit, m, d.run.per == "" && (!d.run.quiet || d.run.json || d.write.path("report") != ""))
	if cfg.Link = batch.Link(d.link); cfg.Link != batch.ByLeader && cfg.Link != batch.Components {
		return cfg, usage("--link %s is neither leader nor components", d.link)
	}
	if c := d.method.cfg; cfg.Link == batch.Components && (c.Lossless > 0 || c.Containment > 0) {
		return cfg, usage("--link components removes through chains: it takes neither lossless nor containment")
	}
	if err := d.proof.read(&d.write, d.link); err != nil {
		return cfg, err
	}
	if err := d.checkAgainst(&cfg); err != nil {
		return cfg, err
	}
	if groups := d.write.path("groups"); groups != "" && !slices.Contains(corpus.TableFormats(), corpus.FormatOf(groups)) {
		return cfg, usage("--write groups:%s: the name must end with .csv, .tsv, .jsonl, .parquet or .arrow", groups)
	}
	return cfg, nil
}

// spool returns the folder that keeps standard input, "" if it is read only once.
func (d *dedup) spool() string {
	again := len(d.write.files)
	if d.write.path("clusters") != "" {
		again-- // they are written in the first reading
	}
	if d.out == "" && again == 0 {
		return ""
	}
	return cmp.Or(d.run.tmp, os.TempDir())
}

// second reads the inputs once more, where the kept records are to be copied, the
// documents of groups to be shown, or what goes to be told in the forms of other tools.
func (w *dedupRun) second(ctx context.Context, kept *bitmap) error {
	page := w.rep.page
	if page != nil {
		if err := page.builder.Choose(); err != nil {
			return err
		}
	}
	if w.out == nil && page == nil && w.groups == nil && w.forms == nil {
		return nil
	}
	r, err := w.r.Again()
	if err != nil {
		return err
	}
	defer r.Close()
	w.rep.reading(r)
	dec := r.NewDecoder()
	err = eachItem(ctx, r, w.rep.writing, func(i int, it corpus.Item) error {
		if w.out != nil && kept.has(i) {
			if err := w.out.Write(it); err != nil {
				return err
			}
		}
		if w.groups != nil {
			if err := w.groups.row(i, it, dec); err != nil {
				return err
			}
		}
		if err := w.forms.removed(it, dec, !kept.has(i)); err != nil {
			return err
		}
		if page != nil && page.wants(i) {
			return page.document(i, it, dec)
		}
		return nil
	})
	if err != nil || w.groups == nil {
		return err
	}
	if lost := w.groups.table.Lost(); len(lost) > 0 && !w.run.quiet {
		fmt.Fprintf(w.stderr, "warning: %s has id, title, url and text of each record, and no %s; FILE.jsonl has all fields\n", w.write.path("groups"), oneLine(strings.Join(lost, ", ")))
	}
	return w.groups.table.Close()
}

// grouped begins the table of --write groups, nil where it is not wanted, and has the
// run tell it and that of --write clusters of the clusters.
func (d *dedup) grouped(cfg *batch.Config, out *corpus.AtomicFile, results *results, r *corpus.Reader) (groups *groupWriter, err error) {
	if out != nil {
		style, err := d.write.style("groups")
		if err != nil {
			return nil, err
		}
		if groups, err = newGroupWriter(out, d.run.tmp, style, r, len(d.against.paths) > 0); err != nil {
			return nil, err
		}
	}
	if groups != nil || results.clusters != nil {
		cfg.Clusters = func(o batch.Outcome, size int) (err error) {
			if results.clusters != nil {
				err = results.clusters.add(o, size)
			}
			if groups != nil {
				err = cmp.Or(err, groups.member(o, size))
			}
			return err
		}
	}
	return groups, nil
}

// bitmap is a set of item indexes, a bit each.
type bitmap struct{ words []uint64 }

func (b *bitmap) set(i int) {
	for len(b.words) <= i/64 {
		b.words = append(b.words, 0)
	}
	b.words[i/64] |= 1 << (i % 64)
}

func (b *bitmap) has(i int) bool {
	return i/64 < len(b.words) && b.words[i/64]>>(i%64)&1 == 1
}
