package methods_test

import (
	"math"
	"strings"
	"testing"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/methods"
)

// The quantities of a pair times the weights are the odds of Compare, so that decisions follow what was
// learned.
func TestObserve(t *testing.T) {
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	weights := evidence.Shipped
	notice := "the council met on monday and agreed to build a bridge over the river before the end of the year. "
	for _, c := range []struct {
		a, b  string
		short bool
	}{
		{notice, strings.Replace(notice, "monday", "tuesday", 1), true},
		{strings.Repeat(notice, 9), strings.Repeat(notice, 8) + "it rained.", false},
	} {
		q, ok := methods.Observe(m, c.a, c.b)
		if !ok || q.Short != c.short {
			t.Fatalf("%q: %+v, %v", c.a, q, ok)
		}
		z := 0.0
		for k, x := range q.X {
			z += float64(weights[k]) / (1 << 12) * math.Ln2 * x
		}
		if got, want := m.Compare(m.Prepare(c.a), m.Prepare(c.b)).Similarity, 1/(1+math.Exp(-z)); math.Abs(got-want) > .01 {
			t.Errorf("%q and %q: probability %.4f, the weights say %.4f", c.a, c.b, got, want)
		}
	}
	if _, ok := methods.Observe(m, "!", "?"); ok {
		t.Error("texts without a word have quantities")
	}
	if _, ok := methods.Observe(methods.Exact{}, "a", "b"); ok {
		t.Error("exact has quantities")
	}
}

// A pair beyond doubt has nothing replaced.
func TestSure(t *testing.T) {
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	notice := "the council met on monday and agreed to build a bridge over the river before the end of the year. "
	for _, c := range []struct {
		text, leader string
		sure         bool
	}{
		{notice, notice, true},
		{notice, notice + "the mayor said so", false}, // the leader may speak of something else
		{notice + "the mayor said that there is no money for the schools", notice, false},
		{strings.Replace(notice, "monday", "friday", 1), notice, false},
		{strings.Repeat(notice, 20), strings.Repeat(notice, 20) + "the mayor said so", true},
		{strings.Repeat(notice, 20), strings.ReplaceAll(strings.Repeat(notice, 20), "bridge", "tunnel"), false},
		{"", "", false},
	} {
		got := m.Compare(m.Prepare(strings.TrimSpace(c.text)), m.Prepare(strings.TrimSpace(c.leader)))
		if (got.Basis == methods.BasisSure) != c.sure {
			t.Errorf("%.60q and %.60q: basis %q, want sure %v", c.text, c.leader, got.Basis, c.sure)
		}
	}
}
