package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
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

// divided runs a stage over rows that come in any order, in its parts: each row in the one that of names.
func (s Stages) divided(tb testing.TB, r *rand.Rand, of stage, kinds string, first []byte, rows []columns, part func(columns) int) (out []columns) {
	tb.Helper()
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	parts := make([][]columns, s.Parts)
	for _, c := range rows {
		parts[part(c)] = append(parts[part(c)], c)
	}
	for _, rows := range parts {
		out = append(out, s.ran(tb, of, kinds, first, rowsOf(rows...))...)
	}
	return out
}

// packed runs a stage over packs, by part.
func (s Stages) packed(tb testing.TB, r *rand.Rand, of stage, kinds string, first []byte, rows []columns) (out []columns) {
	parts := make([][]columns, s.Parts)
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, c := range rows {
		part := c[len(c)-2].(int)
		parts[part] = append(parts[part], c[len(c)-1:])
	}
	for _, rows := range parts {
		out = append(out, s.ran(tb, of, kinds, first, rowsOf(rows...))...)
	}
	return out
}

// found returns the spans that the stages find, in the order of the documents, which have the ordinals 0, 1, 2 ... of a
// first piece, and then of a third one.
func (s Stages) found(tb testing.TB, r *rand.Rand, docs []neardup.Document) (all []passage.Span) {
	tb.Helper()
	const piece = 33 // documents of the first
	ordinal := func(i int) int {
		if i < piece {
			return i
		}
		return 2<<rowBits + i - piece
	}
	item := map[int]int{}
	var read []columns
	for i, d := range docs {
		item[ordinal(i)] = i
		read = append(read, columns{ordinal(i), d.Text, d.ID})
	}
	first := before(0, piece, piece, int64(len(docs)))
	one := func(c columns) int { return item[c[0].(int)] % s.Parts }
	var hashes []columns
	for _, c := range s.divided(tb, r, Stages.Anchors, recordKinds, nil, read, one) {
		if c[6] != nil {
			hashes = append(hashes, c)
		}
	}
	// with makes rows of documents with a field more.
	with := func(of map[int]string) (rows []columns) {
		for i, field := range of {
			rows = append(rows, withCheck(ordinal(i), docs[i].Text, docs[i].ID, field))
		}
		return rows
	}
	anchors := map[int]string{}
	for _, c := range s.packed(tb, r, Stages.Again, "ns", nil, hashes) {
		anchors[item[c[0].(int)]] += " " + c[1].(string)
	}
	contexts := s.divided(tb, r, Stages.Contexts, "nb", first, with(anchors), one)
	spans := s.packed(tb, r, Stages.Spans, "nnnnn", first, s.packed(tb, r, Stages.Matches, "nb", nil, contexts))
	offsets, own := map[int]string{}, map[int][]Span{}
	for _, c := range spans {
		offsets[item[c[3].(int)]] += fmt.Sprint(" ", c[4])
	}
	sources := map[string]columns{}
	for _, c := range s.divided(tb, r, Stages.Sources, "nnns", nil, with(offsets), one) {
		sources[fmt.Sprint(c[:2]...)] = c
	}
	for _, c := range spans {
		source := sources[fmt.Sprint(c[3:]...)]
		i := item[c[0].(int)]
		own[i] = append(own[i], Span{At: c[1].(int), Len: c[2].(int), Byte: c[4].(int), Rune: source[2].(int), Of: source[3].(string)})
	}
	lists := map[int]string{}
	for i, list := range own {
		slices.SortFunc(list, func(a, b Span) int { return a.At - b.At })
		b, err := json.Marshal(list)
		if err != nil {
			tb.Fatal(err)
		}
		lists[i] = string(b)
	}
	of := map[string][]passage.Span{}
	s.Passages.Cut = func(doc neardup.Document, spans []passage.Span) (Cut, error) {
		of[doc.ID] = spans
		return Cut{State: Changed, Left: doc.ID + "\n", Lines: int64(len(spans))}, nil
	}
	for _, c := range s.divided(tb, r, Stages.Cut, "nsnnnnnss", nil, with(lists), one) {
		if id := docs[item[c[0].(int)]].ID; c[1] != "cut" || c[6] != len(of[id]) || c[8] != id+"\n" {
			tb.Errorf("the row of %s is %q", id, c)
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

// A row that is none is an error that names it; so is a text that changed.
func TestPassagesRowsThatAreNone(t *testing.T) {
	p := passagesOf(t, passage.Config{}, 3)
	p.Passages.Cut = func(neardup.Document, []passage.Span) (Cut, error) { return Cut{}, nil }
	pack, doc := rowsOf(columns{"AAA"}), func(more string) []byte { return rowsOf(withCheck(7, "abc", "id", more)) }
	for _, c := range []struct {
		stage stage
		want  string
		in    [][]byte
	}{
		{Stages.Again, "ends inside a row", [][]byte{pack}},
		{Stages.Contexts, "no document at 7", [][]byte{before(0, 7), doc("0")}},
		{Stages.Contexts, `number "x"`, [][]byte{before(0, 8), doc("0 x")}},
		{Stages.Contexts, "at 7", [][]byte{before(0, 8), rowsOf(columns{7, 1, "id", "0", "abc"})}},
		{Stages.Matches, "ends inside a context", [][]byte{pack}},
		{Stages.Spans, "ends inside a row", [][]byte{before(0), pack}},
		{Stages.Sources, `number "4": out of range (want at most 3)`, [][]byte{doc("4")}},
		{Stages.Cut, "spans", [][]byte{doc("{")}},
		{Stages.Cut, "3 bytes at 1", [][]byte{doc(`[{"at":1,"len":3}]`)}},
		{Stages.Cut, "(want from 2 to 3)", [][]byte{doc(`[{"at":1,"len":1},{"at":0,"len":1}]`)}},
	} {
		p.refused(t, c.stage, c.want, c.in...)
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
	p.Passages.Cut = func(d neardup.Document, spans []passage.Span) (Cut, error) {
		return Cut{State: Changed, Left: d.Text[spans[0].Len:], Spans: "{}\n{}"}, nil
	}
	p.Passages.Replace = func(record []byte, text string) ([]byte, error) {
		return append(slices.Clone(record[:2]), text...), nil
	}
	got := p.ran(t, Stages.Cut, "nsnnnnnss", rowsOf(withCheck(7, "x\tabc", "id", `[{"at":0,"len":2,"of":"a"}]`)))
	if want := []columns{{7, "cut", 0, 0, 0, 0, 0, "{}\n{}", "x\tc"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
