package minhash_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/minhash"
)

var _ neardup.Method = (*minhash.Method)(nil)

func method(tb testing.TB, cfg minhash.Config) *minhash.Method {
	tb.Helper()
	m, err := minhash.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestNewRefuses(t *testing.T) {
	for _, cfg := range []minhash.Config{
		{Shingle: feature.Shingle{Unit: feature.Words, K: -1}},
		{Shingle: feature.Shingle{Unit: 9, K: 3}},
		{Threshold: -0.1},
		{Threshold: 1.1},
		{Recall: 1},
		{Recall: -1},
		{Threshold: 0.001},
	} {
		if _, err := minhash.New(cfg); err == nil {
			t.Errorf("New(%+v) gave no error", cfg)
		}
	}
}

// words draws a text of a small vocabulary, so that two of them are often
// alike.
func words() *rapid.Generator[string] {
	word := rapid.SampledFrom([]string{"a", "b", "c", "d", "...", "中", "文"})
	return rapid.Map(rapid.SliceOfN(word, 0, 40), func(w []string) string { return strings.Join(w, " ") })
}

func TestCompareIsTheJaccardOfTheShingles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := feature.Shingle{Unit: feature.Unit(rapid.IntRange(0, 2).Draw(t, "unit")), K: rapid.IntRange(1, 3).Draw(t, "k")}
		cfg := minhash.Config{Shingle: s, Threshold: rapid.SampledFrom([]float64{0.3, 0.5, 0.8, 1}).Draw(t, "threshold")}
		m, err := minhash.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		x, y := words().Draw(t, "x"), words().Draw(t, "y")
		a, b := s.Append(nil, x, 0), s.Append(nil, y, 0)
		both, union := map[uint64]bool{}, map[uint64]bool{}
		for _, h := range slices.Concat(a, b) {
			union[h] = true
			if slices.Contains(a, h) && slices.Contains(b, h) {
				both[h] = true
			}
		}
		want := neardup.Match{Distance: -1, Method: "minhash", Basis: "jaccard of " + s.String()}
		if j := float64(len(both)) / float64(len(union)); len(union) > 0 && j >= cfg.Threshold {
			want.Near, want.Similarity = true, j
		}
		if got := m.Compare(m.Prepare(x), m.Prepare(y)); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if got := m.Compare(m.Prepare(y), m.Prepare(x)); !reflect.DeepEqual(got, want) {
			t.Fatalf("the other way: %+v, want %+v", got, want)
		}
		var rx, ry neardup.Record
		m.Record(x, &rx)
		m.Record(y, &ry)
		if want.Near && (!m.Plausible(rx.Sketch, ry.Sketch) || !m.Plausible(ry.Sketch, rx.Sketch)) {
			t.Fatal("near and not plausible")
		}
		if want.Similarity == 1 && !slices.Equal(rx.Index, ry.Index) {
			t.Fatal("equal sets with unequal keys")
		}
	})
}

func TestRecordViewIsRecordAndView(t *testing.T) {
	m := method(t, minhash.Config{Threshold: 0.3})
	rapid.Check(t, func(t *rapid.T) {
		x, y := words().Draw(t, "x"), words().Draw(t, "y")
		var both, alone neardup.Record
		view := m.RecordPrepare(x, &both)
		m.Record(x, &alone)
		if !slices.Equal(both.Index, alone.Index) || both.Sketch != alone.Sketch {
			t.Fatalf("records differ: %v, %v", both, alone)
		}
		byUnits, hashes, starts := m.RecordUnits(x, &both)
		if want, at := feature.Units(x, feature.Auto); !slices.Equal(both.Index, alone.Index) || !slices.Equal(hashes, want) || !slices.Equal(starts, at) {
			t.Fatalf("%q: RecordUnits returns others", x)
		}
		if got, want := m.Compare(byUnits, view), m.Compare(view, view); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: the view of RecordUnits matches as %+v, want %+v", x, got, want)
		}
		want := m.Compare(m.Prepare(x), m.Prepare(y))
		var wait sync.WaitGroup // a view is shared between workers
		for range 2 {
			wait.Go(func() {
				if got := m.Compare(view, m.Prepare(y)); !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, want %+v", got, want)
				}
			})
		}
		wait.Wait()
	})
}

func TestRecordOfAlmostNothing(t *testing.T) {
	m := method(t, minhash.Config{})
	bands, _ := m.Bands()
	for _, c := range []struct {
		text string
		keys int
	}{
		{"", 0}, {" \n", 0}, {"?!…", 0}, {"\xff\xfe", 0},
		{"a", bands}, {"中", bands}, {"a b c d", bands},
	} {
		rec := neardup.Record{Index: []uint64{1, 2, 3}, Sketch: 9}
		m.Record(c.text, &rec)
		if len(rec.Index) != c.keys || rec.Probe != nil || (c.keys == 0 && rec.Sketch != 0) {
			t.Errorf("%q: %d keys, want %d: %+v", c.text, len(rec.Index), c.keys, rec)
		}
		slices.Sort(rec.Index)
		if len(slices.Compact(rec.Index)) != c.keys {
			t.Errorf("%q: a key twice", c.text)
		}
		if c.keys == 0 && m.Compare(m.Prepare(c.text), m.Prepare(c.text)).Near {
			t.Errorf("%q is near itself", c.text)
		}
	}
}

func TestRecordIsTheSameInEveryGoroutine(t *testing.T) {
	m := method(t, minhash.Config{Seed: 5})
	var texts []string
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var b strings.Builder
		for range rng.IntN(400) {
			fmt.Fprintf(&b, "w%d ", rng.IntN(100))
		}
		texts = append(texts, b.String())
	}
	want := make([]neardup.Record, len(texts))
	for i, text := range texts {
		m.Record(text, &want[i])
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var rec neardup.Record
			for i, text := range texts {
				m.Record(text, &rec)
				if !slices.Equal(rec.Index, want[i].Index) || rec.Sketch != want[i].Sketch {
					t.Errorf("text %d: another record", i)
				}
			}
		})
	}
	wg.Wait()
}

func TestSpecTellsUnlikeRecordsApart(t *testing.T) {
	base := method(t, minhash.Config{}).Spec()
	for _, cfg := range []minhash.Config{
		{Shingle: feature.Shingle{Unit: feature.Words, K: 3}}, {Threshold: 0.7}, {Recall: 0.95}, {Seed: 1},
	} {
		if method(t, cfg).Spec().String() == base.String() {
			t.Errorf("%+v is like the default", cfg)
		}
	}
	if got := method(t, minhash.Config{Seed: 12345678}).Spec().String(); strings.Contains(got, "12345678") {
		t.Errorf("the spec tells the seed: %s", got)
	}
}

// Keys are stored, so they may only change together with Version.
func TestKeysStay(t *testing.T) {
	m := method(t, minhash.Config{Threshold: 0.9})
	var got []string
	var rec neardup.Record
	for _, text := range []string{"the quick brown fox jumps over the lazy dog", "天地玄黄宇宙洪荒日月盈昃"} {
		m.Record(text, &rec)
		got = append(got, fmt.Sprintf("%016x %x", rec.Index[:2], rec.Sketch))
	}
	want := []string{
		"[51848f386c6e4cdb 02d575aa0a95aa31] 700000007",
		"[f23a81e857445c7f 0954fb6f8d07675f] a0000000a",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func Example() {
	m, err := minhash.New(minhash.Config{Threshold: 0.7})
	if err != nil {
		fmt.Println(err)
		return
	}
	const a = "terms of service: you may use the service if you are at least 13 years old and accept these terms"
	const b = "terms of service: you may use the service if you are at least 16 years old and accept these terms"
	fmt.Println(m.Spec())
	fmt.Printf("%.3f\n", m.Compare(m.Prepare(a), m.Prepare(a+" today")).Similarity)
	fmt.Println(m.Compare(m.Prepare(a), m.Prepare(b)).Near)
	// Output:
	// minhash/2 shingle=auto:3 threshold=0.7 bands=26 rows=5 seed=0
	// 0.947
	// true
}

func ExampleBands() {
	bands, rows := minhash.Bands(0.7, 0.99)
	fmt.Println(bands, "bands of", rows)
	for _, j := range []float64{0.3, 0.5, 0.7, 0.8} {
		fmt.Printf("%.1f %.4f\n", j, minhash.Candidate(j, bands, rows))
	}
	// Output:
	// 26 bands of 5
	// 0.3 0.0613
	// 0.5 0.5620
	// 0.7 0.9916
	// 0.8 1.0000
}

// Texts of one template, of similarity .72, are separated without allocating. The bound alone and the sets give
// the same outcome.
func TestCompareOfOneTemplate(t *testing.T) {
	m := method(t, minhash.Config{})
	r := rand.New(rand.NewPCG(5, 6))
	var views []neardup.Prepared
	for range 40 {
		var b strings.Builder
		for w := range 400 {
			if w < 340 {
				fmt.Fprintf(&b, "w%d ", w)
			} else {
				fmt.Fprintf(&b, "x%d ", r.IntN(1<<30))
			}
		}
		views = append(views, m.Prepare(b.String()))
	}
	for i, v := range views {
		for j, w := range views {
			if got := m.Compare(v, w).Near; got != (i == j) {
				t.Errorf("texts %d and %d: near is %v", i, j, got)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { m.Compare(views[0], views[1]) }); n != 0 {
		t.Errorf("%v allocations a comparison", n)
	}
}

// A text that is near has three fifths of the set of any at .6, and a view of another method is near none.
func TestOverlaps(t *testing.T) {
	m := method(t, minhash.Config{Threshold: .6, Shingle: feature.Shingle{Unit: feature.Words, K: 1}})
	got := m.FeatureSets(nil, m.Prepare("one two three four five six seven eight nine ten"))
	if len(got) != 1 || len(got[0].Features) != 10 || got[0].Weights != nil || got[0].Least != 6 {
		t.Errorf("%+v", got)
	}
	if got := m.FeatureSets(nil, nil); len(got) != 0 {
		t.Errorf("of no view %+v", got)
	}
}

// Compare stops early; Measure does not.
func TestMeasureBelowTheThreshold(t *testing.T) {
	m, err := minhash.New(minhash.Config{Shingle: feature.Shingle{Unit: feature.Words, K: 1}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := m.Prepare("a b c"), m.Prepare("b c d")
	if got := m.Measure(a, b); got != .5 || m.Compare(a, b).Similarity != 0 {
		t.Errorf("%v, compared %v", got, m.Compare(a, b))
	}
}
