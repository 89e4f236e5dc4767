package hbase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
)

func delivery(seq uint64, keeps docid.KeptEffect, text string) docid.Delivery {
	d := docid.Delivery{DocID: fmt.Sprintf("%016x-%016x", 1, seq%3), Kept: keeps}
	d.Seq, d.NID, d.Heat = seq, fmt.Sprint("n", seq), -int64(seq)
	if text != "" {
		d.Article = &docid.Article{}
		d.Article.ID, d.Article.Heat, d.Article.Text, d.Article.Title = d.NID, d.Heat, text, "标题"
	}
	return d
}

// TestSink checks that the last decision is read, in any order and number of deliveries.
func TestSink(t *testing.T) {
	h := services.StartHBase(t)
	ctx := t.Context()
	s, err := Open(ctx, "hbase+http://"+h.Gateway.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ds := []docid.Delivery{
		delivery(1, docid.KeptReplaced, "one"), delivery(2, docid.KeptReplaced, "two"), delivery(3, docid.KeptReplaced, "three"),
		delivery(4, docid.KeptSame, "colder"), delivery(5, docid.KeptRemoved, ""), delivery(6, docid.KeptReplaced, "six"),
	}
	want := []string{"three gone, now six -6", "one -1"}
	for _, order := range [][]docid.Delivery{ds, ds[:3], ds[2:], ds} {
		if err := s.Apply(ctx, "t", order); err != nil {
			t.Fatal(err)
		}
	}
	backwards := slices.Clone(ds)
	slices.Reverse(backwards)
	if err := s.Apply(ctx, "other", backwards); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := s.Scan(ctx, func(a Article) error {
		got = append(got, fmt.Sprint(a.Content, " ", a.Heat))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want[0] = "six -6"
	if !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	if _, err := s.Get(ctx, ds[4].DocID); !errors.Is(err, docid.ErrNotFound) {
		t.Errorf("a kept copy that is gone: %v", err)
	}
	if a, err := s.Get(ctx, ds[0].DocID); err != nil || a.Content != "one" || a.Title != "标题" {
		t.Errorf("%+v, %v", a, err)
	}
	if at, err := s.Cursor(ctx, "t"); err != nil || at != 6 {
		t.Errorf("cursor %d, %v", at, err)
	}
	moved := delivery(7, docid.KeptMoved, "seven") // a person moved a kept copy
	moved.Left = delivery(6, 0, "").DocID
	if err := s.Apply(ctx, "t", []docid.Delivery{moved}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Get(ctx, moved.DocID); err != nil || a.Content != "seven" {
		t.Errorf("the docId that a kept copy was moved to: %+v, %v", a, err)
	}
	if _, err := s.Get(ctx, moved.Left); !errors.Is(err, docid.ErrNotFound) {
		t.Errorf("the docId that it left: %v", err)
	}
	t.Run("texts", func(t *testing.T) { testTexts(t, h) })
	h.Gateway.Kill()
	if err := s.Apply(context.Background(), "t", ds); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("without a gateway: %v", err)
	}
}

// testTexts checks that stored texts and leaders are read, and removed with their docId. A new epoch must hide
// what a lost history wrote.
func testTexts(t *testing.T, h services.HBase) {
	ctx := t.Context()
	s, err := Open(ctx, "hbase+http://"+h.Gateway.Addr+"/texts")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var ds []docid.Delivery
	var ids []string
	for seq := range uint64(250) { // more than a page of requests
		d := delivery(seq+1, docid.KeptReplaced, fmt.Sprint("text ", seq+1))
		d.DocID, d.Kind = fmt.Sprintf("%016x-%016x", 7, seq+1), docid.KindNew
		d.Material = &docid.Material{NID: d.NID, Title: "t", Text: fmt.Sprint("clean ", seq+1)}
		ds, ids = append(ds, d), append(ids, d.DocID)
	}
	end := delivery(251, docid.KeptRemoved, "")
	end.DocID, end.Kind = ids[1], docid.KindEnd
	lost, hotter := delivery(260, docid.KeptReplaced, "lost"), delivery(252, docid.KeptReheated, "hotter")
	lost.DocID, hotter.DocID, hotter.Epochs = ids[0], ids[0], 1
	for _, part := range [][]docid.Delivery{ds, {end}, {lost}} {
		if err := s.Apply(ctx, "t", part); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Apply(ctx, "t", []docid.Delivery{hotter}); err != nil {
		t.Fatal(err)
	}
	texts, err := s.Texts(ctx, append(ids, "none"))
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		got, want := texts[id], fmt.Sprint("text ", i+1)
		switch i {
		case 0:
			want = "hotter"
		case 1:
			if got.Kept != nil || got.Material != nil || !got.Ended {
				t.Errorf("a docId that ended has %+v", got)
			}
			continue
		}
		if got.Kept == nil || got.Kept.Text != want || got.Material == nil || got.Material.Text != fmt.Sprint("clean ", i+1) {
			t.Errorf("docId %d: %+v", i+1, got)
		}
	}
	if len(texts) != len(ids) || texts[ids[0]].KeptSeq != 252 {
		t.Errorf("%d docIds, the first kept by %d", len(texts), texts[ids[0]].KeptSeq)
	}
}

func TestOpenRefusesAddresses(t *testing.T) {
	for _, address := range []string{"", "hbase://x", "hbase+http://", "hbase+http://h:1/t/x", "hbase+http://a b"} {
		if _, err := Open(t.Context(), address); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// Get returns the kept copy of a docId, or ErrNotFound.
func (s *Sink) Get(ctx context.Context, docID string) (Article, error) {
	var a Article
	cells, err := s.g.get(ctx, s.table, docID, column)
	if err != nil {
		return a, unavailable(err)
	}
	if len(cells) == 0 {
		return a, fmt.Errorf("docId %q: %w", docID, docid.ErrNotFound)
	}
	if err := json.Unmarshal(cells[0].data, &a); err != nil {
		return a, fmt.Errorf("%w: article of docId %q in HBase: %w", docid.ErrCorrupt, docID, err)
	}
	if a.Gone {
		return a, fmt.Errorf("docId %q: %w", docID, docid.ErrNotFound)
	}
	return a, nil
}
