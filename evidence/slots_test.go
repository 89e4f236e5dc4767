package evidence_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/evidence"
)

// The places in which two texts differ are named the same way whichever comes first.
func TestDifferences(t *testing.T) {
	s := shipped(t)
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{"a graph library for c programs", "a graph library for c programs; documentation", []string{" / documentation"}},
		{"the meeting in paris is moved to monday", "the meeting in madrid is moved to monday", []string{"madrid / paris"}},
		{"the parcel 123 is here and waits", "the parcel 456 is here and waits", nil},
		{"the committee will recieve the report", "the committee will receive the report", nil},
		{"shared library of routines", "shared library of routines that are one two three four five six seven eight words longer", nil},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := s.Differences(s.view(pair[0]), s.view(pair[1])); !slices.Equal(got, c.want) {
				t.Errorf("%q and %q differ in %q, want %q", pair[0], pair[1], got, c.want)
			}
		}
	}
}

// A difference in the table speaks against two texts, the more texts it tells apart, and
// what is said of it adds up to the score.
func TestSlots(t *testing.T) {
	w, err := evidence.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	w.Slots = evidence.Slots{" / documentation": 312, "madrid / paris": evidence.LeastSlot, `a "quoted" / b`: 7}
	var written bytes.Buffer
	if err := w.Write(&written); err != nil {
		t.Fatal(err)
	}
	again, err := evidence.ReadWeights(written.String())
	if err != nil || !reflect.DeepEqual(again, w) {
		t.Fatalf("%v: %+v", err, again.Slots)
	}
	plain, slots := shipped(t), shipped(t)
	if s := evidence.New(lexicon(t), w); s.Label() == plain.Label() {
		t.Error("a table with slots has the label of one without")
	} else {
		slots.Scorer = s
	}
	for _, c := range []struct {
		a, b string
		bits float64
	}{
		{"a graph library for c programs", "a graph library for c programs; documentation", -8},
		{"a graph library for c programs; documentation", "a graph library for c programs", -8},
		{"the meeting in paris is moved to monday", "the meeting in madrid is moved to monday", -2.3},
		{"the meeting in paris is moved to monday", "the meeting in lisbon is moved to monday", 0},
	} {
		x, y := slots.view(c.a), slots.view(c.b)
		want, list := slots.Explain(x, y)
		got := slots.Score(x, y)
		if got != want {
			t.Errorf("%q and %q: %+v, explained as %+v", c.a, c.b, got, want)
		}
		sum := 0.
		for _, e := range list {
			sum += e.Bits
		}
		if d := got.Bits() - plain.Score(x, y).Bits(); d > c.bits+.1 || d < c.bits-.1 {
			t.Errorf("%q and %q: %v bits more, want %v", c.a, c.b, d, c.bits)
		}
		if d := sum - got.Bits(); d > .05 || d < -.05 {
			t.Errorf("%q and %q: the evidence is %v bits, the score %v", c.a, c.b, sum, got.Bits())
		}
	}
}

func TestSlotsAreRefused(t *testing.T) {
	w, err := evidence.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`documentation = 3`:            "does not begin with a difference in quotes",
		`" / x" 3`:                     "needs = and how many",
		`" / x" = none`:                "needs = and how many",
		`" / x" = 0`:                   "needs = and how many",
		`"x" = 3`:                      `has no " / "`,
		"\" / x\" = 3\n\" / x\" = 4\n": "again",
	} {
		_, err := evidence.ReadWeights(b.String() + "[slots]\n" + line)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
