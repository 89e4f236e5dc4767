package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func indexCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Keep decided documents in a folder, to decide later ones against them",
		Long: `An index is a folder of documents that were decided: their texts, their keys and
what became of each. What is decided against it, and added to it, is decided as if all
had been read in one run, in the order in which they were added.

` + exitHelp,
		Example: `  neardup dedup january.jsonl --against crawl.index --add --out january-new.jsonl
  neardup dedup february.jsonl --against crawl.index --add --out february-new.jsonl
  neardup index remove crawl.index --ids withdrawn.txt
  neardup index check crawl.index`,
	}
	cmd.AddCommand(indexCreate(a), indexAdd(a), indexInfo(a), indexCheck(a), indexRemove(a), indexCompact(a))
	return cmd
}

func indexCreate(a *app) *cobra.Command {
	var m methodFlags
	cmd := &cobra.Command{
		Use: "create [flags] INDEX", Short: "Begin an index of no documents, and say how they will be decided",
		Example: "  neardup index create --method 'minhash threshold=.7' crawl.index",
		Args:    expects("INDEX"),
		RunE: func(_ *cobra.Command, args []string) error {
			method, clean, err := m.method()
			if err != nil {
				return err
			}
			return batch.CreateIndex(args[0], batch.Config{Method: method, Clean: clean}, m.remembered())
		},
	}
	m.add(cmd.Flags())
	return cmd
}

func indexAdd(a *app) *cobra.Command {
	d := &dedup{app: a, link: string(batch.ByLeader)}
	cmd := &cobra.Command{
		Use: "add [flags] INDEX INPUT...", Short: "Decide documents against an index and add them",
		Long:    "The same as neardup dedup INPUT... --against INDEX --add, with what is kept written nowhere else.\n\n" + exitHelp,
		Example: "  neardup index add crawl.index 'january/*.jsonl.zst' --decisions january.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("INDEX is missing")
			}
			d.against = againstFlags{paths: args[:1], add: true}
			return a.onInputs(d.do)(cmd, args[1:])
		},
	}
	fs := cmd.Flags()
	grouping(fs, outputGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&d.decide, "decisions", "", "write one decision a document here (JSONL)")
	})
	d.input.add(fs)
	d.method.add(fs)
	d.run.add(fs)
	return cmd
}

// indexInfos is what is told of an index.
type indexInfos struct {
	Method    string `json:"method"`
	Normalize string `json:"normalize"`
	Documents int64  `json:"documents"`
	Leaders   int64  `json:"leaders"`
	Removed   int64  `json:"removed"` // and still there
	Parts     int    `json:"parts"`
	Bytes     int64  `json:"bytes"`
	Digest    string `json:"digest"`
}

func indexInfo(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "info INDEX", Short: "Say what an index holds and how it was decided",
		Example: "  neardup index info crawl.index --json",
		Args:    expects("INDEX"),
		RunE: func(_ *cobra.Command, args []string) error {
			var info indexInfos
			err := onIndex(args[0], func(x *reference.Index) (err error) {
				info, err = infoOf(x)
				return err
			})
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(info)
			}
			_, err = fmt.Fprintf(a.stdout, "method      %s\nnormalize   %s\ndocuments   %s\nleaders     %s\nremoved     %s, still there\nparts       %d\nsize        %s bytes\ndigest      %s\n",
				wrapped(info.Method, 82, strings.Repeat(" ", 12)), info.Normalize, grouped(info.Documents), grouped(info.Leaders), grouped(info.Removed), info.Parts, grouped(info.Bytes), info.Digest)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func infoOf(x *reference.Index) (info indexInfos, err error) {
	h := x.Header()
	info = indexInfos{Method: h.Spec, Normalize: h.Normalize, Removed: int64(x.Removed()), Parts: x.Parts(), Digest: x.Digest()}
	if info.Bytes, err = x.Bytes(); err != nil {
		return info, err
	}
	return info, x.Each(func(_ uint32, r *reference.Row) error {
		info.Documents++
		if r.Leads() {
			info.Leaders++
		}
		return nil
	})
}

func indexCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "check INDEX", Short: "Prove an index undamaged",
		Long: `Reads all of an index and proves its checksums, that keys are in their order and of
documents that are there, that each duplicate names an earlier leader, and the digest of
all decisions. Exits with 1, and says which file it is, if anything is wrong.`,
		Example: "  neardup index check crawl.index",
		Args:    expects("INDEX"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onIndex(args[0], func(x *reference.Index) error {
				if err := batch.CheckIndex(cmd.Context(), x); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.stdout, "undamaged   digest %s\n", x.Digest())
				return err
			})
		},
	}
}

type indexRemoval struct {
	*app
	method    methodFlags
	run       runFlags
	ids       string
	before    string
	decisions string
}

func indexRemove(a *app) *cobra.Command {
	f := &indexRemoval{app: a, run: runFlags{keep: string(batch.First)}}
	cmd := &cobra.Command{
		Use: "remove INDEX {--ids FILE | --before TIME}", Short: "Take documents out of an index",
		Long: `Takes documents out, and decides anew those whose leader went, and what follows
from that: what is left is as if it alone had been added. Room is made by
neardup index compact.

` + exitHelp,
		Example: `  neardup index remove crawl.index --ids withdrawn.txt --decisions changed.jsonl
  neardup index remove crawl.index --before 2025-01-01`,
		Args: expects("INDEX"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.do(cmd.Context(), args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.ids, "ids", "", "remove the documents with these ids, a line each")
	fs.StringVar(&f.before, "before", "", "remove the documents whose time is earlier; those without a time stay")
	fs.StringVar(&f.decisions, "decisions", "", "write the decisions that changed here (JSONL)")
	f.method.add(pflag.NewFlagSet("", pflag.ContinueOnError))
	f.run.addMachine(fs)
	f.run.addSummary(fs)
	return cmd
}

// gone says which documents go.
func (f *indexRemoval) gone() (func(id string, time int64) bool, error) {
	switch {
	case (f.ids == "") == (f.before == ""):
		return nil, usage("give either --ids or --before")
	case f.before != "":
		before, err := corpus.ParseTime(f.before)
		if err != nil {
			return nil, usage("--before: %w", err)
		}
		return func(_ string, time int64) bool { return time != 0 && time < before }, nil
	}
	ids := map[string]bool{}
	err := textlines.Each(f.ids, func(_ int, line []byte) error {
		ids[strings.TrimSpace(string(line))] = true
		return nil
	})
	return func(id string, _ int64) bool { return ids[id] }, err
}

func (f *indexRemoval) do(ctx context.Context, dir string) error {
	gone, err := f.gone()
	if err != nil {
		return err
	}
	w, err := reference.Change(dir)
	if err != nil {
		return err
	}
	done, err := f.remove(ctx, w, gone)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	if f.run.json {
		return json.NewEncoder(f.stdout).Encode(done)
	}
	if !f.run.quiet {
		fmt.Fprintf(f.stderr, "removed     %s\njudged      %s anew, %s of them otherwise than before\ndigest      %s\n",
			grouped(done.Removed), grouped(done.Judged), grouped(done.Changed), done.Digest)
	}
	return nil
}

func (f *indexRemoval) remove(ctx context.Context, w *reference.Writer, gone func(string, int64) bool) (*batch.Removal, error) {
	if err := f.method.restore(w.Header().Settings); err != nil {
		return nil, err
	}
	m, n, err := f.method.method()
	if err != nil {
		return nil, err
	}
	cfg, err := f.run.config(m, n)
	if err != nil {
		return nil, err
	}
	files := outputs{app: f.app, json: f.run.json}
	defer files.abort()
	out := files.open(f.decisions, corpus.JSONL)
	if files.err != nil {
		return nil, files.err
	}
	done, err := batch.Remove(ctx, w, cfg, gone, func(d neardup.Decision) error {
		if out == nil {
			return nil
		}
		return out.WriteJSON(d)
	})
	if err != nil {
		return nil, err
	}
	if files.last, err = w.Outputs(); err != nil {
		return nil, err
	}
	if err := files.commit(); err != nil {
		return nil, err
	}
	return done, w.Reopen()
}

func indexCompact(a *app) *cobra.Command {
	var run runFlags
	cmd := &cobra.Command{
		Use: "compact INDEX", Short: "Write an index anew, without what was removed",
		Example: "  neardup index compact crawl.index",
		Args:    expects("INDEX"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := run.machine(nil); err != nil {
				return err
			}
			w, err := reference.Change(args[0])
			if err != nil {
				return err
			}
			return errors.Join(w.Compact(cmd.Context(), run.tmp, int64(run.memory)-ownPages), w.Close())
		},
	}
	run.addMachine(cmd.Flags())
	return cmd
}
