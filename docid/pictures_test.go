package docid_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
)

// What more docIds have than a share of all of them is common, but not what a handful has.
func TestMostUncommon(t *testing.T) {
	for _, c := range []struct {
		share        uint64
		docIDs, want int
	}{{1000, 0, 5}, {1000, 5999, 5}, {1000, 6000, 6}, {1000, 1_000_000, 1000}, {0, 1_000_000, 5}, {1_000_000, 300, 300}} {
		q := docid.Query{Share: c.share}
		if got := q.MostUncommon(c.docIDs); got != c.want {
			t.Errorf("share %d of %d docIds: %d, want %d", c.share, c.docIDs, got, c.want)
		}
	}
}

// How pictures count is part of an index; where they do not, its spec is what it was before there were any.
func TestPicturesInTheSpec(t *testing.T) {
	for _, c := range []struct {
		pictures *docid.Pictures
		spec     string
		err      error
	}{
		{nil, "cascade/1 clean=none url=exact title=off content=off", nil},
		{&docid.Pictures{}, "cascade/1 clean=none url=exact title=off content=off images=pdq(distance=31 quality=50 common=0.001)", nil},
		{&docid.Pictures{Common: .02}, "cascade/1 clean=none url=exact title=off content=off images=pdq(distance=31 quality=50 common=0.02)", nil},
		{&docid.Pictures{Common: 1.5}, "", docid.ErrInvalid},
		{&docid.Pictures{Common: math.NaN()}, "", docid.ErrInvalid},
	} {
		store, err := memory.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d, err := docid.NewDetector(t.Context(), store, "t", docid.Settings{URL: docid.Exact, Pictures: c.pictures})
		if !errors.Is(err, c.err) {
			t.Errorf("%+v: %v, want %v", c.pictures, err, c.err)
		} else if err == nil && d.Index().Identity().Spec != c.spec {
			t.Errorf("%+v: the spec is %s, want %s", c.pictures, d.Index().Identity().Spec, c.spec)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An article has at most 50 pictures, each of a quality.
func TestPicturesThatAreRefused(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := docid.NewDetector(t.Context(), store, "t", docid.Settings{Content: docid.Exact, Pictures: &docid.Pictures{}})
	if err != nil {
		t.Fatal(err)
	}
	for what, pictures := range map[string][]docid.Picture{
		"over 50 pictures": make([]docid.Picture, 51), "a quality of 101": {{Quality: 101}}, "a quality of -1": {{Quality: -1}},
	} {
		sub := docid.Submission{Article: docid.Article{Document: neardup.Document{Text: "text"}, Pictures: pictures}}
		if _, err := d.Add(t.Context(), sub); !errors.Is(err, docid.ErrInvalid) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
