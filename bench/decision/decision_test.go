package main

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/bench/learn"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/internal/test/shared"
)

// labelsOf loads the labels of the shared data.
func labelsOf(t *testing.T) *labels {
	t.Helper()
	if testing.Short() {
		t.Skip("some 30 s of CPU")
	}
	shared.Path(t, "judged/judged_pairs.tsv")
	l, err := load([]string{shared.Dir()})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestShippedWeightsAreLearned checks that the shipped weights are what the labels give, to a hundredth of a bit.
func TestShippedWeightsAreLearned(t *testing.T) {
	want, got := learn.Weights(evidence.Shipped), labelsOf(t).lesson().Fit()
	if len(got) != len(want) {
		t.Fatalf("%d weights learned, %d shipped", len(got), len(want))
	}
	for k := range got {
		if math.Abs(got[k]-want[k]) > .01*math.Ln2 {
			t.Errorf("%s = %.4f bits, shipped %.4f", evidence.Feature(k), got[k]/math.Ln2, want[k]/math.Ln2)
		}
	}
}

// Each set is of one genre and one family.
func TestPlaces(t *testing.T) {
	of, order := places()
	for set, want := range map[string]place{
		"laws": {"long prose", "laws"}, "zh_laws": {"long prose", "laws"}, "deb_zh": {"lists", "deb"}, "packages_en": {"long templates", "deb"},
		"copper": {"records", "reviews"}, "made_short_a": {"made short", "made"}, "made_short_b": {"made short", "measured"}, "npm": {"lists", "npm"},
	} {
		if of[set] != want {
			t.Errorf("%s: %v, want %v", set, of[set], want)
		}
	}
	if len(order) != 10 || order[0] != "short prose" {
		t.Errorf("genres: %q", order)
	}
}

// Four pairs of the same texts, two of different ones and a part, as a row decides them.
func TestMeasures(t *testing.T) {
	l := &labels{pairs: make([]pair, 7)}
	for i := range 4 {
		l.pairs[i].same = true
	}
	l.pairs[6].part = true
	all := []int{0, 1, 2, 3, 4, 5, 6}
	r := row{"", []float64{.9, .8, .7, .2, .6, .1, .5}, .5}
	c := l.count(all, r)
	if want := (counts{same: 4, different: 2, parts: 1, found: 3, wrong: 1, partsFound: 1}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if c.precision() != .75 || c.recall() != .75 || c.apart() != .5 || c.f1() != .75 {
		t.Errorf("precision %v, recall %v, told apart %v, F1 %v", c.precision(), c.recall(), c.apart(), c.f1())
	}
	if low, high := l.interval(all, r); low > .75 || high < .75 || low < .2 || high > 1 {
		t.Errorf("interval %v to %v", low, high)
	}
	for _, c := range []struct {
		said []float64
		want float64
	}{
		{r.said, (3 + 3 + 3 + 1) / 12.0},                // .2 is above one of three
		{[]float64{1, 1, 1, 1, 0, 0, 0}, 1},             // parted
		{[]float64{0, 0, 0, 0, 1, 1, 1}, 0},             // parted the other way
		{[]float64{.5, .5, .5, .5, .5, .5, .5}, .5},     // nothing said
		{[]float64{.5, .5, .5, .5, 0, 0, .5}, 10 / 12.}, // as the part
	} {
		if got := l.area(all, c.said); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("area of %v: %v, want %v", c.said, got, c.want)
		}
	}
}

// The nearest text shares the most words, for what both have together.
func TestNearest(t *testing.T) {
	got := nearest([]string{"a b c d", "a b c x", "Q r s", "q R z z", "a b c d e f g h"})
	if want := []int{1, 0, 3, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A shift of the odds by one bit doubles them.
func TestShiftBy(t *testing.T) {
	for _, c := range []struct{ p, bits, want float64 }{{.5, 0, .5}, {.5, 1, 2.0 / 3}, {.5, -1, 1.0 / 3}, {.9, 0, .9}, {0, 5, 0}, {1, -5, 1}} {
		if got := shiftBy(c.p, c.bits); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v by %v bits: %v, want %v", c.p, c.bits, got, c.want)
		}
	}
}

// Texts that a file of labels lacks are found in the folder of their set, packed or not; what is nowhere stays missing.
func TestFill(t *testing.T) {
	folder := t.TempDir()
	for set, line := range map[string]string{"one": `{"id":"1","text":"first"}`, "two": `{"id":"2","text":"second"}`} {
		if err := os.MkdirAll(filepath.Join(folder, set), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, set, "docs.jsonl"), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(folder, "two", "docs.jsonl"), filepath.Join(folder, "two", "docs.jsonl.zst")); err != nil {
		t.Fatal(err) // read by its content
	}
	pairs := []eval.JudgedPair{{Set: "one", A: "1", B: "3"}, {Set: "two", A: "2", B: "2", TextB: "its own"}, {Set: "none", A: "4", B: "4"}}
	if err := fill(pairs, folder); err != nil {
		t.Fatal(err)
	}
	if pairs[0].TextA != "first" || pairs[0].TextB != "" || pairs[1].TextA != "second" || pairs[1].TextB != "its own" || pairs[2].TextA != "" {
		t.Errorf("%+v", pairs)
	}
}

// The commands are named where one is not known, before any label is read.
func TestUnknownCommand(t *testing.T) {
	for _, args := range [][]string{{}, {"draw"}} {
		if err := run(io.Discard, args); err == nil || !strings.Contains(err.Error(), "learn") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// No sign, negation or question mark is left unread, and typography and what only looks like negation make no difference.
func TestKinds(t *testing.T) {
	m, err := newMethod()
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{"signs": 1, "question or statement": 1, "typography": .95, "negation": .97, "looks like negation": .9}
	pairs, right := map[string]int{}, map[string]int{}
	for _, k := range kinds {
		name := strings.TrimSuffix(k.name, ", Chinese")
		k.each(func(a, b string) {
			pairs[name]++
			if (a == b || m.Compare(m.Prepare(a), m.Prepare(b)).Near) == k.same {
				right[name]++
			}
		})
	}
	for name, n := range pairs {
		want, known := least[name]
		if !known || ratio(right[name], n) < want {
			t.Errorf("%s: %d of %d are right, want %g", name, right[name], n, want)
		}
	}
}
