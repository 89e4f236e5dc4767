package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/spf13/pflag"
)

type indexCreate struct {
	method methodFlags
}

func (v *indexCreate) do(_ context.Context, args []string) error {
	method, clean, err := v.method.method()
	if err != nil {
		return err
	}
	return batch.CreateIndex(args[0], batch.Config{Method: method, Clean: clean}, v.method.remembered())
}

type indexAdd struct {
	dedup `flags:"!out write link against add resume"`
}

func (v *indexAdd) do(ctx context.Context, args []string) error {
	v.against = againstFlags{args[:1], true}
	return v.dedup.do(ctx, args[1:])
}

type indexInfos struct {
	Method    string `json:"method"`
	Normalize string `json:"normalize"`
	Documents int64  `json:"documents"`
	Leaders   int64  `json:"leaders"`
	Removed   int64  `json:"removed"` // removed, but still stored
	Parts     int    `json:"parts"`
	Bytes     int64  `json:"bytes"`
	Digest    string `json:"digest"`
}

type indexInfo struct {
	*app
	json bool
}

func (v *indexInfo) do(_ context.Context, args []string) error {
	var info indexInfos
	err := onIndex(args[0], func(x *reference.Index) (err error) {
		h := x.Header()
		info = indexInfos{Method: h.Spec, Normalize: h.Normalize, Removed: int64(x.Removed()), Parts: x.Parts(), Digest: x.Digest()}
		info.Bytes, err = x.Bytes()
		if err != nil {
			return err
		}
		return x.Each(func(_ uint32, r *reference.Row) error {
			info.Documents++
			if r.Leads() {
				info.Leaders++
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	if v.json {
		return json.NewEncoder(v.stdout).Encode(info)
	}
	_, err = fmt.Fprintf(v.stdout, "method      %s\nnormalize   %s\ndocuments   %s\nleaders     %s\nremoved     %s, still stored\nparts       %d\nsize        %s bytes\ndigest      %s\n",
		wrapped(info.Method, 82, strings.Repeat(" ", 12)), info.Normalize, grouped(info.Documents), grouped(info.Leaders), grouped(info.Removed), info.Parts, grouped(info.Bytes), info.Digest)
	return err
}

type indexCheck struct{ *app }

func (v *indexCheck) do(ctx context.Context, args []string) error {
	return onIndex(args[0], func(x *reference.Index) error {
		if err := batch.CheckIndex(ctx, x); err != nil {
			return err
		}
		_, err := fmt.Fprintf(v.stdout, "undamaged   digest %s\n", x.Digest())
		return err
	})
}

type indexRemove struct {
	*app
	method                 methodFlags `flags:"-"` // the method of the index
	run                    runFlags    `flags:"memory tmp workers json quiet"`
	ids, before, decisions string
}

func (f *indexRemove) gone() (func(id string, time int64) bool, error) {
	if f.before != "" {
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

func (f *indexRemove) do(ctx context.Context, args []string) error {
	gone, err := f.gone()
	if err != nil {
		return err
	}
	w, err := reference.Change(args[0])
	if err != nil {
		return err
	}
	err = f.batchRun(nil, &f.run, nil, false, func(_ *corpus.Reader, rep *reporter) (result, error) {
		if err := f.method.restore(w.Header().Settings); err != nil {
			return nil, err
		}
		cfg, err := f.run.config(&f.method)
		out := rep.open(f.decisions, corpus.JSONL)
		if err := cmp.Or(err, rep.err); err != nil {
			return nil, err
		}
		done, err := batch.Remove(ctx, w, cfg, gone, func(d neardup.Decision) error { return out.WriteJSON(d) })
		if err != nil {
			return nil, err
		}
		rep.next = []func() error{w.Reopen}
		rep.last, err = w.Outputs()
		return removal{done}, err
	})
	return errors.Join(err, w.Close())
}

type removal struct{ *batch.Removal }

func (r removal) print(w io.Writer) {
	fmt.Fprintf(w, "removed     %s\njudged      %s again, %s of them with another decision\ndigest      %s\n",
		grouped(r.Removed), grouped(r.Judged), grouped(r.Changed), r.Digest)
}

type indexCompact struct {
	run runFlags `flags:"memory tmp workers"`
}

func (v *indexCompact) do(ctx context.Context, args []string) error {
	if err := v.run.machine(nil); err != nil {
		return err
	}
	w, err := reference.Change(args[0])
	if err != nil {
		return err
	}
	return errors.Join(w.Compact(ctx, v.run.tmp, int64(v.run.memory)-ownPages), w.Close())
}

// againstFlags are the flags that select the documents to decide against.
type againstFlags struct {
	paths  []string `flags:"against"`
	append bool     `flags:"add"`
}

// against is the index that a run decides against.
type against struct {
	name   string // name of the index or of the files
	index  *reference.Index
	writer *reference.Writer // nil if the run adds no documents
	remove func() error      // removes the temporary index that was made of files; otherwise nil
	begun  bool              // this run created the index; close removes it if no document was added
}

// settings takes the method and the normalization from the index, unless the user has set them.
func (f *againstFlags) settings(m *methodFlags) error {
	if len(f.paths) != 1 {
		return nil
	}
	err := onIndex(f.paths[0], func(x *reference.Index) error { return m.restore(x.Header().Settings) })
	if errors.Is(err, reference.ErrNone) || errors.Is(err, fs.ErrNotExist) || notFolder(f.paths[0]) {
		return nil
	}
	return err
}

func onIndex(path string, fn func(*reference.Index) error) error {
	if notFolder(path) {
		return fmt.Errorf("%s: not an index (want a folder made by neardup index create)", path)
	}
	x, err := reference.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(fn(x), x.Close())
}

func notFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// normalizeSetting names --normalize among the settings of a method.
const normalizeSetting = "normalize"

func (f *methodFlags) remembered() map[string]string {
	given := map[string]string{}
	f.fs.VisitAll(func(s *pflag.Flag) { // Visit would skip flags that the command has set
		if s.Changed {
			given[s.Name] = s.Value.String()
		}
	})
	return given
}

// asked returns the method as the user gave it, such as --method 'minhash threshold=.7'. (A Spec would also contain all
// defaults.)
func (f *methodFlags) asked() string {
	c, _ := f.choice() // the flags were checked before
	words := c.String()
	if f.normalize != "default" {
		words += " " + normalizeSetting + "=" + f.normalize
	}
	return oneLine(words)
}

// restore applies remembered settings, unless the user has given settings.
func (f *methodFlags) restore(remembered map[string]string) error {
	if len(f.remembered()) > 0 {
		return nil
	}
	for name, value := range remembered {
		if err := f.fs.Set(name, value); err != nil {
			return fmt.Errorf("settings of the index: %w", err)
		}
	}
	return nil
}

// open opens the index to decide against, or builds one from files, below the temporary folder. It returns nil
// without --against.
func (f *againstFlags) open(ctx context.Context, d *batchFlags, cfg *batch.Config) (_ *against, err error) {
	if len(f.paths) == 0 {
		return nil, nil
	}
	a, at := &against{name: strings.Join(f.paths, " ")}, f.paths[0]
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	isIndex := len(f.paths) == 1 && holdsIndex(at)
	remembered := d.method.remembered()
	switch {
	case isIndex && !f.append:
		a.index, err = reference.Open(at)
		cfg.Reference = a.index
		return a, err
	case !isIndex && !f.append:
		at, a.remove, err = heldFolder(d.run.tmp, "neardup-against-")
		if err != nil {
			return nil, err
		}
		at, remembered = filepath.Join(at, "index"), nil
	}
	if !isIndex {
		err = batch.CreateIndex(at, *cfg, remembered)
		if err != nil && holdsIndex(at) {
			err = fmt.Errorf("%s: %w", at, reference.ErrLocked)
		}
		if err != nil {
			return nil, err
		}
		a.begun = f.append
	}
	a.writer, err = reference.Change(at)
	if err != nil {
		return nil, err
	}
	cfg.Reference = a.writer.Index
	if f.append {
		cfg.Add = a.writer
	} else {
		err = a.fill(ctx, d, f.paths, *cfg)
	}
	a.index = a.writer.Index
	cfg.Reference = a.index
	return a, err
}

// fill adds the documents of files.
func (a *against) fill(ctx context.Context, d *batchFlags, files []string, cfg batch.Config) error {
	r, err := d.input.open(d.app, files, "")
	if err != nil {
		return err
	}
	defer r.Close()
	cfg.Add = a.writer
	if _, err := batch.Dedup(ctx, newSource(r), cfg, func(batch.Outcome) error { return nil }); err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	return a.writer.Commit()
}

func (f *againstFlags) check() error {
	switch {
	case slices.Contains(f.paths, corpus.Stdin):
		return usage("--against: standard input is not supported (want files or an index)")
	case f.append && len(f.paths) > 1:
		return usage("--add: %d indexes (want one)", len(f.paths))
	}
	return nil
}

func holdsIndex(path string) bool {
	_, err := os.Stat(filepath.Join(path, reference.ManifestName))
	return err == nil
}

// adds reports whether the run adds documents to a permanent index.
func (a *against) adds() bool { return a != nil && a.writer != nil && a.remove == nil }

// outputs returns the outputs of the index that must be committed after all others.
func (a *against) outputs() ([]corpus.Output, error) {
	if !a.adds() {
		return nil, nil
	}
	return a.writer.Outputs()
}

// settle completes the additions to the index after the commit.
func (a *against) settle(ctx context.Context) error {
	if !a.adds() {
		return nil
	}
	if err := a.writer.Reopen(); err != nil {
		return err
	}
	return a.writer.Settle(ctx)
}

func (a *against) close() (err error) {
	if a == nil {
		return nil
	}
	switch {
	case a.writer != nil && a.begun && a.writer.Numbers() == 0:
		err = a.writer.Discard()
	case a.writer != nil:
		err = a.writer.Close()
	case a.index != nil:
		err = a.index.Close()
	}
	if a.remove != nil {
		err = errors.Join(err, a.remove())
	}
	return err
}

// documentOf returns a document of an index.
func documentOf(x *reference.Index, row *reference.Row) (d neardup.Document, err error) {
	d.ID, err = x.ID(row)
	if err == nil {
		d.Text, err = x.Text(row)
	}
	return d, err
}
