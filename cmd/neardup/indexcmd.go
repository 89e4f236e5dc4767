package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
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
	Removed   int64  `json:"removed"` // and still there
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
	_, err = fmt.Fprintf(v.stdout, "method      %s\nnormalize   %s\ndocuments   %s\nleaders     %s\nremoved     %s, still there\nparts       %d\nsize        %s bytes\ndigest      %s\n",
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
	method                 methodFlags `flags:"-"` // the index has it
	run                    runFlags    `flags:"memory tmp workers json quiet"`
	ids, before, decisions string
}

func (f *indexRemove) ready(*pflag.FlagSet) {
	f.method.add(pflag.NewFlagSet("", pflag.ContinueOnError))
}

func (f *indexRemove) gone() (func(id string, time int64) bool, error) {
	switch {
	case (f.ids == "") == (f.before == ""):
		return nil, usage("nothing to remove (want either --ids or --before)")
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

// A neighbor is a document of an index, and what a text is to it.
type neighbor struct {
	ID         string             `json:"id"`
	Similarity float64            `json:"similarity"`
	Relation   neardup.Relation   `json:"relation"`
	Evidence   []neardup.Conflict `json:"evidence,omitempty"`
	Text       string             `json:"text"`
}

// mostCompared bounds how many documents one text is compared with: those that share the most keys with it.
const mostCompared = 1000

// nearest prints the documents of an index that are most like a text.
func (n *near) nearest(ctx context.Context, args []string, rep *reporter) error {
	switch {
	case len(args) != 1:
		return usage("--index: %d texts (want one TEXT, a file, or - for standard input)", len(args))
	case n.fingerprints != "" || n.query != "":
		return usage("--index: cannot be combined with --fingerprints and --query")
	}
	words, err := n.given(args[0])
	if err != nil {
		return err
	}
	out := rep.open(n.out, corpus.JSONL)
	if rep.err != nil {
		return rep.err
	}
	return onIndex(n.index, func(x *reference.Index) error {
		if err := n.method.restore(x.Header().Settings); err != nil {
			return err
		}
		m, normal, err := n.method.method()
		if err != nil {
			return err
		}
		found, err := neighbors(ctx, x, m, normal.Clean(words))
		for _, one := range found[:min(len(found), n.top)] {
			err = cmp.Or(err, out.WriteJSON(one))
		}
		return err
	})
}

// given returns the text that an argument names: standard input, the text of a file, or the argument itself.
func (n *near) given(arg string) (string, error) {
	if arg == corpus.Stdin {
		b, err := io.ReadAll(n.stdin)
		return string(b), err
	}
	if info, err := os.Stat(arg); err != nil || !info.Mode().IsRegular() {
		return arg, nil
	}
	c := &compare{app: n.app}
	c.input.add(pflag.NewFlagSet("", pflag.ContinueOnError))
	return c.file(arg)
}

// neighbors returns the leaders that share a key with a clean text, the most alike first.
func neighbors(ctx context.Context, x *reference.Index, m neardup.Method, clean string) (found []neighbor, err error) {
	shared := map[uint32]int{}
	var rec neardup.Record
	m.Record(clean, &rec)
	keys := slices.Concat([]uint64{neardup.DigestOf(clean).Key()}, rec.Probes(), rec.Index)
	slices.Sort(keys)
	finder := x.Finder()
	for _, key := range slices.Compact(keys) {
		if err := finder.Find(key, func(p reference.Posting) error { shared[p.Doc]++; return ctx.Err() }); err != nil {
			return nil, err
		}
	}
	docs := slices.SortedFunc(maps.Keys(shared), func(a, b uint32) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	view := m.Prepare(clean)
	for _, doc := range docs {
		row, err := x.Row(doc)
		if err != nil {
			return nil, err
		}
		if !row.Leads() {
			continue
		}
		doc, err := documentOf(x, &row)
		if err != nil {
			return nil, err
		}
		match := neardup.Match{Similarity: 1, Near: true}
		if clean != doc.Text {
			match = neardup.Explain(m, view, m.Prepare(doc.Text))
		}
		found = append(found, neighbor{doc.ID, match.Similarity, match.Relation(), match.Evidence, doc.Text})
		if len(found) == mostCompared {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found, nil
}
