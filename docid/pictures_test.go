package docid_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
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

// How pictures count is part of an index. Without pictures its spec is unchanged.
func TestPicturesInTheSpec(t *testing.T) {
	for _, c := range []struct {
		common float64
		spec   string
		err    error
	}{
		{0, "cascade/1 clean=none url=exact title=off content=off", nil},
		{.001, "cascade/1 clean=none url=exact title=off content=off images=pdq(distance=31 quality=50 common=0.001)", nil},
		{.02, "cascade/1 clean=none url=exact title=off content=off images=pdq(distance=31 quality=50 common=0.02)", nil},
		{1.5, "", docid.ErrInvalid},
		{math.NaN(), "", docid.ErrInvalid},
	} {
		store, err := memory.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d, err := docid.NewDetector(t.Context(), store, "t", docid.Settings{URL: docid.Exact, CommonPictures: c.common})
		if !errors.Is(err, c.err) {
			t.Errorf("%+v: %v, want %v", c.common, err, c.err)
		} else if err == nil && d.Index().Identity().Spec != c.spec {
			t.Errorf("%+v: the spec is %s, want %s", c.common, d.Index().Identity().Spec, c.spec)
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
	d, err := docid.NewDetector(t.Context(), store, "t", docid.Settings{Content: docid.Exact, CommonPictures: .001})
	if err != nil {
		t.Fatal(err)
	}
	for what, pictures := range map[string][]docid.Picture{
		"too many pictures (want at most 50)": make([]docid.Picture, 51), "quality 101 of a picture": {{Quality: 101}}, "quality -1 of a picture": {{Quality: -1}},
	} {
		sub := docid.Submission{Text: "text", Extras: docid.Extras{Pictures: pictures}}
		if _, err := d.Add(t.Context(), sub); !errors.Is(err, docid.ErrInvalid) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A picture is written as a list of pictures has one, and read again.
func TestPictureAsText(t *testing.T) {
	p := docid.Picture{Hash: image.Hash{1, 2, 3, 1 << 63}, Quality: 97}
	text, err := p.MarshalText()
	if want := "pdq:8000000000000000" + "0000000000000003" + "0000000000000002" + "0000000000000001 quality:97"; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	var again docid.Picture
	if err := again.UnmarshalText(text); err != nil || again != p {
		t.Errorf("read again it is %+v, %v", again, err)
	}
	if err := again.UnmarshalText([]byte("pdq:12")); err == nil || again != p {
		t.Errorf("what is none: %+v, %v", again, err)
	}
}

// Pictures pair off, the nearest first, each with one other.
func TestInCommon(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := docid.NewDetector(t.Context(), store, "t", docid.Settings{Content: docid.Exact, CommonPictures: .001})
	if err != nil {
		t.Fatal(err)
	}
	at := func(bits ...int) docid.Picture { // these bits of each word
		var h image.Hash
		for i, n := range bits {
			h[i] = 1<<n - 1
		}
		return docid.Picture{Hash: h, Quality: 100}
	}
	flat := at(1)
	flat.Quality = 49
	for _, c := range []struct {
		what               string
		a, b               []docid.Picture
		none               bool
		same, of, distance int
	}{
		{"none", nil, []docid.Picture{at(1)}, true, 0, 0, 0},
		{"a flat one", []docid.Picture{flat}, []docid.Picture{at(1)}, true, 0, 0, 0},
		{"31 bits", []docid.Picture{at(0)}, []docid.Picture{at(31)}, false, 1, 1, 31},
		{"32 bits", []docid.Picture{at(0)}, []docid.Picture{at(32)}, false, 0, 1, 0},
		{"twice the same counts once", []docid.Picture{at(1), at(1)}, []docid.Picture{at(1)}, false, 1, 1, 0},
		{"two near one", []docid.Picture{at(1), at(2)}, []docid.Picture{at(2)}, false, 1, 2, 0},
		{"two near two", []docid.Picture{at(1), at(5)}, []docid.Picture{at(5), at(9)}, false, 2, 2, 0},
		{"far ones besides", []docid.Picture{at(1), at(60, 60)}, []docid.Picture{at(3), at(0, 0, 60), at(0, 0, 0, 60)}, false, 1, 3, 2},
	} {
		compared, err := d.Compare(t.Context(), docid.Submission{Extras: docid.Extras{Pictures: c.a}}, docid.Submission{Extras: docid.Extras{Pictures: c.b}})
		if err != nil {
			t.Fatal(err)
		}
		got := compared.Images
		if got == nil != c.none || (got != nil && (got.Same != c.same || got.Of != c.of || got.Distance != c.distance)) {
			t.Errorf("%s: %+v, want %d of %d at %d", c.what, got, c.same, c.of, c.distance)
		}
	}
}
