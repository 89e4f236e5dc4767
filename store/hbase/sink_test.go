package hbase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
)

func delivery(seq uint64, keeps docid.Keeps, text string) docid.Delivery {
	d := docid.Delivery{DocID: fmt.Sprintf("%016x-%016x", 1, seq%3), Keeps: keeps}
	d.Seq, d.NID, d.Heat = seq, fmt.Sprint("n", seq), -int64(seq)
	if text != "" {
		d.Article = &docid.Article{}
		d.Article.Text, d.Article.Title = text, "标题"
	}
	return d
}

// The last decision is what is read, in any order and number of deliveries.
func TestSink(t *testing.T) {
	h := services.StartHBase(t)
	ctx := t.Context()
	s, err := Open(ctx, "hbase+http://"+h.Gateway.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ds := []docid.Delivery{
		delivery(1, docid.KeepsThis, "one"), delivery(2, docid.KeepsThis, "two"), delivery(3, docid.KeepsThis, "three"),
		delivery(4, docid.KeepsSame, "colder"), delivery(5, docid.KeepsNone, ""), delivery(6, docid.KeepsThis, "six"),
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
	h.Gateway.Kill()
	if err := s.Apply(context.Background(), "t", ds); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("without a gateway: %v", err)
	}
}

func TestOpenRefusesAddresses(t *testing.T) {
	for _, address := range []string{"", "hbase://x", "hbase+http://", "hbase+http://h:1/t/x", "hbase+http://a b"} {
		if _, err := Open(t.Context(), address); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
