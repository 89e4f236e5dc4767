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
	cmd := verb("index", nil, nil)
	cmd.AddCommand(indexCreate(a), indexAdd(a), indexInfo(a), indexCheck(a), indexRemove(a), indexCompact(a))
	return cmd
}

func indexCreate(a *app) *cobra.Command {
	var m methodFlags
	cmd := verb("index create", expects("INDEX"), func(_ *cobra.Command, args []string) error {
		method, clean, err := m.method()
		if err != nil {
			return err
		}
		return batch.CreateIndex(args[0], batch.Config{Method: method, Clean: clean}, m.remembered())
	})
	m.add(cmd.Flags())
	return cmd
}

func indexAdd(a *app) *cobra.Command {
	d := &dedup{app: a, link: string(batch.ByLeader)}
	cmd := verb("index add", nil, func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("INDEX is missing")
		}
		d.against = againstFlags{paths: args[:1], add: true}
		return a.onInputs(d.do)(cmd, args[1:])
	})
	fs := cmd.Flags()
	bind(fs, "", flags{"decisions": &d.decide})
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
	cmd := verb("index info", expects("INDEX"), func(_ *cobra.Command, args []string) error {
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
	})
	bind(cmd.Flags(), "index", flags{"json": &asJSON})
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
	return verb("index check", expects("INDEX"), func(cmd *cobra.Command, args []string) error {
		return onIndex(args[0], func(x *reference.Index) error {
			if err := batch.CheckIndex(cmd.Context(), x); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.stdout, "undamaged   digest %s\n", x.Digest())
			return err
		})
	})
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
	cmd := verb("index remove", expects("INDEX"), func(cmd *cobra.Command, args []string) error { return f.do(cmd.Context(), args[0]) })
	fs := cmd.Flags()
	bind(fs, "index", flags{"ids": &f.ids, "before": &f.before, "decisions": &f.decisions})
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
	cmd := verb("index compact", expects("INDEX"), func(cmd *cobra.Command, args []string) error {
		if err := run.machine(nil); err != nil {
			return err
		}
		w, err := reference.Change(args[0])
		if err != nil {
			return err
		}
		return errors.Join(w.Compact(cmd.Context(), run.tmp, int64(run.memory)-ownPages), w.Close())
	})
	run.addMachine(cmd.Flags())
	return cmd
}
