package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type dedup struct {
	*app
	input    inputFlags
	method   methodFlags
	run      runFlags
	out      string
	decide   string
	clusters string
	groups   string
	link     string
	report   string
	proof    evidenceFlags
	fields   string
	csv      csvStyle
	against  againstFlags
	resume   resumeFlag
	forms    interopFlags
}

func dedupCommand(a *app) *cobra.Command {
	d := &dedup{app: a}
	cmd := &cobra.Command{
		Use:   "dedup [flags] INPUT...",
		Short: "Find near-duplicates in files; keep one of each, with evidence",
		Long: `Reads documents from files, folders, patterns or standard input ("-"), and
decides for each whether it is new or a near-duplicate of one that is kept.
Every duplicate was compared with the document it names, exactly.

Without --out nothing is written but the summary. All files appear whole at the
end, or not at all.

` + exitHelp,
		Example: `  neardup dedup news.jsonl --out kept.jsonl --decisions decisions.jsonl
  neardup dedup 'crawl/*.jsonl.zst' --text-field body --id-field nid --out kept.jsonl.zst
  neardup dedup 'crawl/*.jsonl.zst' --lossless .98 --keep longest --out kept.jsonl.zst
  neardup dedup src/ --format files --containment .9 --decisions decisions.jsonl
  neardup dedup pages.warc.gz --clusters clusters.jsonl --report report.html
  neardup dedup --format lines --method ngram --threshold .7 headlines.txt
  neardup dedup february.jsonl --against crawl.index --add --out new.jsonl
  neardup dedup --format images photos/ --turned --out kept/
  zcat big.csv.gz | neardup dedup --format csv --memory 4GiB --tmp /fast - --out kept.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: a.onInputs(d.do),
	}
	fs := cmd.Flags()
	grouping(fs, outputGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&d.out, "out", "", "write the kept documents here, in the format of the input")
		fs.StringVar(&d.decide, "decisions", "", "write one decision a document here (JSONL)")
		fs.StringVar(&d.groups, "groups", "", "write every document with its group and its own columns here: .csv or .tsv for a spreadsheet, .jsonl, .parquet, .arrow")
		fs.Var(&d.csv, "csv", "how --groups and --clusters write CSV: 'bom sep=; raw', any of them (raw: no apostrophe before what looks like a formula)")
		fs.StringVar(&d.clusters, "clusters", "", "write each leader with its duplicates here (JSONL; by the name .csv, .tsv, .parquet or .arrow, a row a document)")
		fs.StringVar(&d.fields, "cluster-fields", "", "with --clusters: say of each document also "+strings.Join(clusterFields, ",")+" (any of them; the text is cut)")
		fs.StringVar(&d.report, "report", "", "write a page of the run and of its groups here (HTML, one file)")
		d.proof.add(fs)
	})
	d.forms.add(fs)
	grouping(fs, methodGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&d.link, "link", "leader", "leader: duplicates are near their leader; components: chains count too")
	})
	d.input.add(fs)
	d.input.addPixels(fs)
	d.against.addFlags(fs)
	d.against.addAdd(fs)
	d.method.add(fs)
	d.method.addImages(fs)
	d.run.add(fs)
	d.resume.add(fs)
	return cmd
}

func (d *dedup) do(ctx context.Context, inputs []string) (err error) {
	cfg, err := d.config()
	if err != nil {
		return err
	}
	d.input.opt.Fields = cfg.Fields()
	r, err := d.open(inputs)
	if err != nil {
		return err
	}
	defer r.Close()
	ref, err := d.against.open(ctx, comparing{d.app, &d.input, &d.method, d.run.tmp}, &cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ref.close()) }()
	if err := d.resume.open(r, &cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.resume.close()) }()
	run := dedupRun{dedup: d, r: r, rep: newReporter(d.app, &d.run, r)}
	defer run.close()
	if err := run.open(&cfg); err != nil {
		return err
	}
	sum, kept, err := decideAll(ctx, r, cfg, run.rep, run.results)
	if err != nil {
		return d.resume.finished(d.app, err)
	}
	if err := d.evidence(ctx, r, cfg, run.rep, sum.Method); err != nil {
		return err
	}
	if err := run.second(ctx, kept); err != nil {
		return err
	}
	if page := run.rep.page; page != nil {
		if err := errors.Join(page.leaders(ref), page.write(sum, r.Inputs(), &run.rep.rejected)); err != nil {
			return err
		}
	}
	if err := run.commit(ctx, ref); err != nil {
		return err
	}
	return run.rep.dedup(sum)
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
	decisions, clusters := w.rep.open(d.decide, corpus.JSONL), w.rep.open(d.clusters, corpus.TableFormats()...)
	grouped := w.rep.open(d.groups, corpus.TableFormats()...)
	w.rep.page = newPage(w.rep.open(d.report, corpus.HTML), d.run.tmp)
	w.out, w.forms = w.rep.records(d.out, w.r), w.rep.forms(&d.forms, "duplicate", w.r)
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

// commit makes the outputs appear, and the inputs a part of the index.
func (w *dedupRun) commit(ctx context.Context, ref *against) (err error) {
	if w.rep.last, err = ref.outputs(); err != nil {
		return err
	}
	if err := w.rep.commit(); err != nil {
		return err
	}
	if err := ref.settle(ctx); err != nil {
		return err
	}
	return w.resume.settle()
}

// close frees what is open; what was not committed is gone.
func (w *dedupRun) close() {
	w.rep.abort()
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
		return results.decisions.write(o)
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
	cfg.Audit = d.method.audit(d.run.audit, m, d.run.per == "" && (!d.run.quiet || d.run.json || d.report != ""))
	if cfg.Link = batch.Link(d.link); cfg.Link != batch.ByLeader && cfg.Link != batch.Components {
		return cfg, usage("--link %s is neither leader nor components", d.link)
	}
	if c := d.method.cfg; cfg.Link == batch.Components && (c.Lossless > 0 || c.Containment > 0) {
		return cfg, usage("--link components removes through chains: it takes neither --lossless nor --containment")
	}
	if err := d.proof.check(d.report, d.link); err != nil {
		return cfg, err
	}
	if err := d.checkAgainst(&cfg); err != nil {
		return cfg, err
	}
	if d.fields != "" && d.clusters == "" {
		return cfg, usage("--cluster-fields has no effect without --clusters")
	}
	if formats := corpus.TableFormats(); d.groups != "" && !slices.Contains(formats, corpus.FormatOf(d.groups)) {
		return cfg, usage("--groups %s: the name must end with .csv, .tsv, .jsonl, .parquet or .arrow", d.groups)
	}
	isCSV := func(path string) bool { f := corpus.FormatOf(path); return f == corpus.CSV || f == corpus.TSV }
	if d.csv != (csvStyle{}) && !isCSV(d.groups) && !isCSV(d.clusters) {
		return cfg, usage("--csv has no effect without --groups FILE.csv or --clusters FILE.csv")
	}
	return cfg, nil
}

// open opens the inputs. Standard input is kept on disk while it is read if the
// kept documents are wanted.
func (d *dedup) open(inputs []string) (*corpus.Reader, error) {
	spool := ""
	if d.out != "" || d.report != "" || d.groups != "" || d.forms != (interopFlags{}) {
		if spool = d.run.tmp; spool == "" {
			spool = os.TempDir()
		}
	}
	return d.input.openFor(d.app, inputs, spool, append(d.forms.paths(), d.out, d.decide, d.clusters, d.groups, d.report, d.run.rejects)...)
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
		fmt.Fprintf(w.stderr, "warning: %s has id, title, url and text of each record, and no %s; FILE.jsonl has all fields\n", w.dedup.groups, oneLine(strings.Join(lost, ", ")))
	}
	return w.groups.table.Close()
}

// grouped begins the table of --groups, nil where nobody wants it, and has the
// run tell it and the file of --clusters of the clusters.
func (d *dedup) grouped(cfg *batch.Config, out *corpus.AtomicFile, results *results, r *corpus.Reader) (groups *groupWriter, err error) {
	var tell []func(batch.Outcome, int) error
	if results.clusters != nil {
		tell = append(tell, results.clusters.add)
	}
	if out != nil {
		if groups, err = newGroupWriter(out, d.run.tmp, d.csv, r, len(d.against.paths) > 0); err != nil {
			return nil, err
		}
		tell = append(tell, groups.member)
	}
	if len(tell) > 0 {
		cfg.Clusters = func(o batch.Outcome, size int) error {
			for _, each := range tell {
				if err := each(o, size); err != nil {
					return err
				}
			}
			return nil
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
