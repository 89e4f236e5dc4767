package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/report"
	"github.com/spf13/pflag"
)

// batchFlags are the flags that dedup and pairs share.
type batchFlags struct {
	*app
	input  inputFlags
	method methodFlags
	run    runFlags
}

// config makes the configuration of a run. The run may be against an index. shows reports whether an output includes the
// measurements of the run.
func (f *batchFlags) config(a *againstFlags, shows bool) (batch.Config, error) {
	if err := a.settings(&f.method); err != nil {
		return batch.Config{}, err
	}
	cfg, err := f.run.config(&f.method)
	if err != nil {
		return cfg, err
	}
	if len(a.paths) == 0 && f.run.per == "" {
		cfg.Audit = f.method.audit(f.run.audit, cfg.Method, shows || !f.run.quiet || f.run.json)
	}
	f.input.opt.Fields = cfg.Fields()
	return cfg, a.check()
}

type dedup struct {
	batchFlags
	out, decisions, link string
	sizeField            string
	dryRun               bool
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
	if d.dryRun {
		plan := planVerb{app: d.app, input: d.input, method: d.method, run: d.run}
		bind(pflag.NewFlagSet("plan", pflag.ContinueOnError), "plan", flags{"cores": &plan.cores, "read": &plan.read})
		return plan.do(ctx, inputs)
	}
	d.run.overwrite = d.run.overwrite || d.resume.dir != ""
	ref, err := d.against.open(ctx, &d.batchFlags, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(d.resume.finished(d.app, err), ref.close(), d.resume.close()) }()
	return d.batchRun(&d.input, &d.run, inputs, d.again(), func(r *corpus.Reader, rep *reporter) (result, error) {
		if err := d.resume.open(r, &cfg); err != nil {
			return nil, err
		}
		run := dedupRun{dedup: d, r: r, rep: rep, files: external.NewFiles(d.run.tmp)}
		defer run.files.Close()
		if err := run.open(&cfg); err != nil {
			return nil, err
		}
		sum, err := run.decide(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if err := d.evidence(ctx, cfg, rep, sum.Method); err != nil {
			return nil, err
		}
		if err := run.second(ctx); err != nil {
			return nil, err
		}
		if page := rep.page; page != nil {
			if err := errors.Join(page.leaders(ref), page.write(sum, r.Inputs(), &rep.rejected)); err != nil {
				return nil, err
			}
		}
		rep.next = []func() error{func() error { return ref.settle(ctx) }, d.resume.settle}
		rep.last, err = ref.outputs()
		if err != nil {
			return nil, err
		}
		return rep.summary(summary{Summary: sum, Kept: &sum.Kept, Removed: &sum.Removed, Clusters: &sum.Clusters})
	})
}

// A dedupRun holds the outputs of a run. An output that the user did not request is nil.
type dedupRun struct {
	*dedup
	r         *corpus.Reader
	rep       *reporter
	files     *external.Files // temporary files for notes and groups
	decisions *corpus.AtomicFile
	addresses bool // decisions include the addresses of pages from archives, whose ids are meaningless
	notes     *notes
	clusters  *clusterWriter
	groups    *groupWriter
	members   *members        // for groups and sizes
	columns   []corpus.Column // additional columns of out, such as the size
	out       *corpus.Writer
	forms     interopWriters
	kept      bitmap // items that are kept
}

// open begins all outputs and passes their callbacks to the engine.
func (w *dedupRun) open(cfg *batch.Config) (err error) {
	d, rep := w.dedup, w.rep
	rep.method = &d.method
	w.decisions = rep.open(d.decisions, corpus.JSONL)
	clusters, groups := rep.open(d.write.path("clusters"), corpus.TableFormats()...), rep.open(d.write.path("groups"), corpus.TableFormats()...)
	if out := rep.open(d.write.path("report"), corpus.HTML); out != nil {
		rep.page = &page{builder: report.New(report.Options{Tmp: d.run.tmp}), out: out}
	}
	if d.sizeField != "" {
		w.columns = []corpus.Column{{Name: d.sizeField, Kind: corpus.Integer}}
	}
	w.out, w.forms = rep.records(d.out, w.r, w.columns...), rep.forms(&d.write, "duplicate", w.r)
	if err := rep.begun(); err != nil {
		return err
	}
	cfg.Reject, cfg.Progress = rep.reject, rep.progress
	var fields []string
	for _, o := range d.write.files["clusters"].options {
		if slices.Contains(clusterFields, o[0]) && !slices.Contains(fields, o[0]) {
			fields = append(fields, o[0])
		}
	}
	format, _ := w.r.Format()
	w.addresses = format == corpus.WARC && w.decisions != nil
	if w.addresses || slices.ContainsFunc(fields, func(f string) bool { return f != "relation" }) {
		w.notes = newNotes(w.files, slices.Contains(fields, "text"))
	}
	if groups != nil || d.sizeField != "" {
		w.members = &members{known: external.NewArray[groupMember](w.files, notesMemory)}
		if len(d.against.paths) > 0 {
			w.members.leaders = external.NewSpool(w.files, notesMemory)
		}
	}
	w.clusters, err = w.newClusters(clusters, fields)
	if err == nil {
		w.groups, err = w.newGroups(groups)
	}
	if w.clusters != nil || w.members != nil {
		cfg.Clusters = func(o batch.Outcome, size int) (err error) {
			if w.clusters != nil {
				err = w.clusters.add(o, size)
			}
			if w.members != nil && err == nil {
				err = w.members.add(o, size)
			}
			return err
		}
	}
	return err
}

// decide reads the input once and writes the decisions.
func (w *dedupRun) decide(ctx context.Context, cfg batch.Config) (*batch.Summary, error) {
	src := newSource(w.r)
	src.notes = w.notes
	page := w.rep.page
	if page != nil {
		src.lengths = &page.lengths
	}
	sum, err := batch.Dedup(ctx, src, cfg, func(o batch.Outcome) error {
		if o.Decision.Decision == neardup.New {
			w.kept.set(o.Item)
		}
		if cfg.Add != nil && o.LeaderItem < 0 && o.Leader == o.ID {
			w.rep.again++
		}
		if page != nil {
			page.addOutcome(&o)
		}
		return w.decision(o)
	})
	if err == nil && w.clusters != nil && w.clusters.table != nil {
		err = w.clusters.table.Close()
	}
	if err != nil {
		return nil, err
	}
	return sum, w.rep.nothingRead(sum.Documents)
}

func (w *dedupRun) decision(o batch.Outcome) error {
	if !w.addresses {
		return w.decisions.WriteJSON(o.Decision)
	}
	own, err := w.notes.of(o.Item)
	var leader note
	if err == nil && o.LeaderItem != o.Item && o.LeaderItem >= 0 {
		leader, err = w.notes.of(o.LeaderItem)
	}
	if err != nil {
		return err
	}
	return w.decisions.WriteJSON(struct {
		neardup.Decision
		URL       string `json:"url,omitempty"`
		LeaderURL string `json:"leaderUrl,omitempty"`
	}{o.Decision, own.URL, leader.URL})
}

func (d *dedup) config() (batch.Config, error) {
	if err := d.proof.read(&d.write, d.link, d.against.paths); err != nil {
		return batch.Config{}, err
	}
	cfg, err := d.batchFlags.config(&d.against, d.write.path("report") != "")
	if err != nil {
		return cfg, err
	}
	cfg.Link = batch.Link(d.link)
	c, _ := d.method.choice() // config has checked the flags
	if decorated := c.Get("lossless")+c.Get("containment") != ""; cfg.Link == batch.Components && decorated {
		return cfg, usage("--link components cannot be combined with lossless or containment, because it also removes along chains")
	}
	if groups := d.write.path("groups"); groups != "" && !slices.Contains(corpus.TableFormats(), corpus.FormatOf(groups)) {
		return cfg, usage("--write groups:%s: unknown format (want a name that ends in .csv, .tsv, .xlsx, .jsonl, .parquet or .arrow)", groups)
	}
	return cfg, nil
}

// again reports whether the inputs are read twice. Clusters are written in the first reading.
func (d *dedup) again() bool {
	return d.out != "" || len(d.write.files) > 1 || (len(d.write.files) == 1 && d.write.path("clusters") == "")
}

// second reads the inputs again if an output needs the documents: kept records, groups, the report or the
// formats of other tools.
func (w *dedupRun) second(ctx context.Context) error {
	page := w.rep.page
	if page != nil {
		if err := page.builder.Choose(); err != nil {
			return err
		}
	}
	if w.out == nil && page == nil && w.groups == nil && w.forms == nil {
		return nil
	}
	if err := w.rep.reread(); err != nil {
		return err
	}
	if page == nil && w.groups == nil && w.forms == nil {
		w.out.Only(w.rep.r)
	}
	dec := w.rep.r.NewDecoder()
	err := w.rep.eachItem(ctx, func(i int, it corpus.Item) error {
		var m groupMember
		if w.members != nil {
			var err error
			m, err = w.members.of(i)
			if err != nil {
				return err
			}
		}
		if w.out != nil && w.kept.has(i) {
			if err := w.out.Write(it, []any{m.size}[:len(w.columns)]...); err != nil {
				return err
			}
		}
		if w.groups != nil {
			if err := w.groups.row(i, m, it, dec); err != nil {
				return err
			}
		}
		if err := w.forms.removed(it, dec, !w.kept.has(i)); err != nil {
			return err
		}
		if page == nil {
			return nil
		}
		return page.document(i, it, dec)
	})
	if err != nil || w.groups == nil {
		return err
	}
	if lost := w.groups.table.Lost(); len(lost) > 0 && !w.run.quiet {
		fmt.Fprintf(w.stderr, "warning: %s: no column for %s (FILE.jsonl would keep all fields)\n", w.write.path("groups"), oneLine(strings.Join(lost, ", ")))
	}
	return w.groups.table.Close()
}

// bitmap is a set of item indexes with one bit for each.
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

type pairs struct {
	batchFlags
	out                 string
	against             againstFlags `flags:"against"`
	exact, withVariants bool
}

func (p *pairs) do(ctx context.Context, inputs []string) (err error) {
	cfg, err := p.config(&p.against, false)
	if err != nil {
		return err
	}
	cfg.Variants = p.withVariants
	ref, err := p.against.open(ctx, &p.batchFlags, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ref.close()) }()
	return p.batchRun(&p.input, &p.run, inputs, false, func(r *corpus.Reader, rep *reporter) (result, error) {
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
		if lines.rows == nil {
			columns := "id_a\tid_b\tsimilarity"
			if p.exact {
				columns += "\tdistance\trelation\tbasis\tplace_a\tplace_b"
			}
			if _, err := io.WriteString(lines.out, columns+"\n"); err != nil {
				return nil, err
			}
		}
		cfg.Reject, cfg.Progress = rep.reject, rep.progress
		sum, err := batch.Pairs(ctx, newSource(r), cfg, lines.pair)
		if err == nil {
			err = rep.nothingRead(sum.Documents)
		}
		if err != nil {
			return nil, err
		}
		return rep.summary(summary{Summary: sum, Pairs: &sum.Pairs})
	})
}

// pairLines writes pairs as a table, in few columns or with all evidence.
type pairLines struct {
	out   io.Writer
	rows  *corpus.AtomicFile // used instead of out for JSON objects, or for a table whose format the name selects
	exact bool
	line  []byte
}

// listedRow is a pair in other formats than TSV.
type listedRow struct {
	A          string           `json:"id_a"`
	B          string           `json:"id_b"`
	Similarity float64          `json:"similarity"`
	Distance   *int             `json:"distance"`
	Relation   neardup.Relation `json:"relation"`
	Basis      string           `json:"basis"`
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
		b = fmt.Appendf(b, "\t%s\t%s\t%d\t%d", p.Relation(), eval.EscapeField(p.Basis), p.Earlier, p.Later)
	} else {
		b = strconv.AppendFloat(b, p.Similarity, 'f', 4, 64)
	}
	w.line = append(b, '\n')
	_, err := w.out.Write(w.line)
	return err
}
