package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/passage"
)

// passagesOf returns the stages for the given number of parts.
func passagesOf(tb testing.TB, cfg passage.Config, parts int) Stages {
	tb.Helper()
	steps, err := passage.NewSteps(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return Stages{Passages: &Passages{Steps: steps, Spec: cfg.Least.String()}, Parts: parts}
}

type passageStage func(Stages, context.Context, io.Reader, io.Writer) (Counts, error)

// divided runs a stage over lines that come in any order, in its parts: each line in the one that of names.
func (p Stages) divided(tb testing.TB, r *rand.Rand, stage passageStage, rows [][]string, of func(f []string) int) (out [][]string) {
	tb.Helper()
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	parts := make([]strings.Builder, p.Parts)
	for _, f := range rows {
		fmt.Fprintln(&parts[of(f)%p.Parts], strings.Join(f, "\t"))
	}
	for i := range parts {
		var b strings.Builder
		_, err := stage(p, tb.Context(), strings.NewReader(parts[i].String()), &b)
		out = append(out, engine{TB: tb}.lines(b.String(), err)...)
	}
	return out
}

// packs runs a stage over packs, fields part and pack, by part.
func (p Stages) packs(tb testing.TB, r *rand.Rand, stage passageStage, rows [][]string) [][]string {
	parts := map[string]int{}
	packs := make([][]string, len(rows))
	for i, f := range rows {
		packs[i] = f[len(f)-1:]
		parts[packs[i][0]], _ = strconv.Atoi(f[len(f)-2])
	}
	return p.divided(tb, r, stage, packs, func(f []string) int { return parts[f[0]] })
}

// found returns the spans that the stages find, in the order of the documents.
func (p Stages) found(tb testing.TB, r *rand.Rand, docs []neardup.Document) (all []passage.Span) {
	tb.Helper()
	anywhere := func([]string) int { return r.IntN(p.Parts) }
	var read [][]string
	for i, d := range docs {
		read = append(read, []string{strconv.Itoa(3 * i), Escape(d.Text), Escape(d.ID)})
	}
	var hashes [][]string
	known := make([][]string, len(docs))
	for _, f := range p.divided(tb, r, Stages.Anchors, read, anywhere) {
		if len(f) == 8 {
			hashes = append(hashes, f)
			continue
		}
		place, _ := strconv.Atoi(f[0])
		known[place/3] = f
	}
	// with makes lines of documents, each with two fields.
	with := func(of map[int][2]string) (rows [][]string) {
		for i, fields := range of {
			rows = append(rows, []string{known[i][0], known[i][4], fields[0], fields[1], Escape(docs[i].Text)})
		}
		return rows
	}
	anchors := map[int][2]string{}
	for _, f := range p.packs(tb, r, Stages.Again, hashes) {
		place, _ := strconv.Atoi(f[0])
		anchors[place/3] = [2]string{strconv.Itoa(place / 3), anchors[place/3][1] + " " + f[1]}
	}
	contexts := p.divided(tb, r, Stages.Contexts, with(anchors), anywhere)
	spans := p.packs(tb, r, Stages.Spans, p.packs(tb, r, Stages.Matches, contexts))
	offsets, own := map[int][2]string{}, map[int][]Span{}
	for _, f := range spans {
		from, _ := strconv.Atoi(f[3])
		offsets[from] = [2]string{known[from][2], offsets[from][1] + " " + f[4]}
	}
	runes := map[string][]string{}
	for _, f := range p.divided(tb, r, Stages.Sources, with(offsets), anywhere) {
		runes[f[0]+" "+f[1]] = f[2:]
	}
	for _, f := range spans {
		item, _ := strconv.Atoi(f[0])
		from, _ := strconv.Atoi(f[3])
		s := Span{}
		s.At, _ = strconv.Atoi(f[1])
		s.Len, _ = strconv.Atoi(f[2])
		s.Byte, _ = strconv.Atoi(f[4])
		source := runes[known[from][0]+" "+f[4]]
		s.Rune, _ = strconv.Atoi(source[0])
		s.Of, _ = Unescape([]byte(source[1]))
		own[item] = append(own[item], s)
	}
	lists := map[int][2]string{}
	for i, list := range own {
		slices.SortFunc(list, func(a, b Span) int { return a.At - b.At })
		b, err := json.Marshal(list)
		if err != nil {
			tb.Fatal(err)
		}
		lists[i] = [2]string{known[i][2], string(b)}
	}
	of := map[string][]passage.Span{}
	p.Passages.Cut = func(doc neardup.Document, spans []passage.Span) (Cut, error) {
		of[doc.ID] = spans
		return Cut{State: Changed, Left: doc.ID + "\n", Lines: int64(len(spans))}, nil
	}
	for _, f := range p.divided(tb, r, Stages.Cut, with(lists), anywhere) {
		place, _ := strconv.Atoi(f[0])
		if id := docs[place/3].ID; f[1] != "cut" || f[6] != strconv.Itoa(len(of[id])) || f[8] != Escape(id+"\n") {
			tb.Errorf("the line of %s is %q", id, f)
		}
	}
	for i, d := range docs {
		for _, s := range of[d.ID] {
			s.Item, s.ID = i, d.ID
			all = append(all, s)
		}
	}
	return all
}

// The stages find what passage.Find does, in any parts and order.
func TestPassagesInStages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var docs []neardup.Document
	for i := range 80 {
		var b strings.Builder
		for range r.IntN(12) {
			fmt.Fprintf(&b, "这是第%d段, a sentence\twith \\ %d.\n", r.IntN(9), r.IntN(9))
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprintf("d\t%d", i), Text: b.String() + strings.Repeat("ab", r.IntN(40))})
	}
	for _, cfg := range []passage.Config{{Least: passage.Length{N: 40}}, {Least: passage.Length{N: 9, Unit: passage.Words}, First: true}, {Whole: passage.WholeLines}} {
		spans, err := passage.Find(t.Context(), func() (batch.Source, error) { return batch.Documents(docs), nil }, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var want []passage.Span
		for s, err := spans.Next(); !errors.Is(err, io.EOF); s, err = spans.Next() {
			if err != nil {
				t.Fatal(err)
			}
			item := s.From.Item
			s.From.Item = 0
			if docs[item].ID != s.From.ID {
				t.Fatalf("%+v is from %q", s, docs[item].ID)
			}
			want = append(want, s)
		}
		if err := spans.Close(); err != nil || len(want) < 50 {
			t.Fatalf("%d spans, %v", len(want), err)
		}
		for _, parts := range []int{1, 3, 17} {
			if got := passagesOf(t, cfg, parts).found(t, r, docs); !slices.Equal(got, want) {
				t.Errorf("%+v in %d parts:\n%+v, want\n%+v", cfg, parts, got, want)
			}
		}
	}
}

// A line that is none is an error that names it; so is a text that changed.
func TestPassagesLinesThatAreNone(t *testing.T) {
	p := passagesOf(t, passage.Config{}, 3)
	p.Passages.Cut = func(neardup.Document, []passage.Span) (Cut, error) { return Cut{}, nil }
	line := func(a, b string) string { return fmt.Sprintf("7\t%s\t%s\t%s\tabc\n", checkOf([]byte("abc")), a, b) }
	for _, c := range []struct {
		stage    passageStage
		in, want string
	}{
		{Stages.Anchors, "1\n", "line 1: "},
		{Stages.Again, "*3\nAAA\n", "ends inside a row"},
		{Stages.Again, "?\n", `"?" is not a pack`},
		{Stages.Contexts, line("-1", "0"), `number "-1"`},
		{Stages.Contexts, line("1", "0 x"), `number "x"`},
		{Stages.Contexts, strings.Replace(line("1", "0"), "abc", "abd", 1), "at 7"},
		{Stages.Matches, "*3\nAAA\n", "ends inside a context"},
		{Stages.Spans, "*3\nAAA\n", "ends inside a row"},
		{Stages.Sources, line("id", "4"), `number "4", of up to 3`},
		{Stages.Sources, "7\tabc\n", "2 fields"},
		{Stages.Cut, line("id", "{"), "spans"},
		{Stages.Cut, line("id", `[{"at":1,"len":3}]`), "3 bytes at 1"},
		{Stages.Cut, line("id", `[{"at":1,"len":1},{"at":0,"len":1}]`), "at 0, after 2"},
	} {
		if _, err := c.stage(p, t.Context(), strings.NewReader(c.in), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.in, err, c.want)
		}
	}
	if err := p.Check(p.Contract()); err != nil {
		t.Error(err)
	}
	if err := p.Check("neardup-worker/1 passages"); !errors.Is(err, ErrUnlike) {
		t.Error(err)
	}
}

// For records, the remaining text is put back into the record.
func TestCutOfRecords(t *testing.T) {
	p := passagesOf(t, passage.Config{}, 1)
	p.Decode = func(record []byte, doc *neardup.Document) (string, error) {
		*doc = neardup.Document{Text: strings.TrimPrefix(string(record), "x\t")}
		return "", nil
	}
	var out strings.Builder
	in := fmt.Sprintf("7\t%s\tid\t[{\"at\":0,\"len\":2,\"of\":\"a\"}]\tx\tabc\n", checkOf([]byte("x\tabc")))
	p.Passages.Cut = func(d neardup.Document, spans []passage.Span) (Cut, error) {
		return Cut{State: Changed, Left: d.Text[spans[0].Len:], Spans: "{}\n{}"}, nil
	}
	p.Passages.Replace = func(record []byte, text string) ([]byte, error) {
		return append(slices.Clone(record[:2]), text...), nil
	}
	_, err := p.Cut(t.Context(), strings.NewReader(in), &out)
	if err != nil || out.String() != "7\tcut\t0\t0\t0\t0\t0\t{}\\n{}\tx\\tc\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
