package evidence_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/token"
)

// Another table has another digest and label.
func TestWeights(t *testing.T) {
	w := evidence.Shipped
	if w.Shifted(-1).Shifted(1) != w {
		t.Error("a shift does not add up")
	}
	l, err := token.NewLexicon(nil)
	if err != nil {
		t.Fatal(err)
	}
	if label := evidence.New(l, w).Label(); label != w.Digest()+","+token.TablesLabel || w.Shifted(-1).Digest() == w.Digest() {
		t.Error(label)
	}
}

// The score is the sum of the products.
func TestScoreIsASum(t *testing.T) {
	w := evidence.Shipped
	v, want := evidence.Vector{}, 0.0
	for i, f := range evidence.Features() {
		v[f] = int32(i+1) * token.Unit / 4
		want += float64(w[f]) / (1 << 12) * float64(i+1) / 4
	}
	if got := w.Score(v).Bits(); math.Abs(got-want) > .02 {
		t.Errorf("%.3f bits, want %.3f", got, want)
	}
}

// Probabilities match the odds, rise with them and sum to one.
func TestProbability(t *testing.T) {
	last := 0.0
	for s := evidence.Score(-20 * token.Unit); s <= 20*token.Unit; s++ {
		p, want := s.Probability(), 1/(1+math.Exp2(-s.Bits()))
		if math.Abs(p-want) > 1e-6*want || p <= last || math.Abs(p+(-s).Probability()-1) > 1e-6 {
			t.Fatalf("%v bits: %.12f after %.12f, want %.12f", s.Bits(), p, last, want)
		}
		last = p
	}
	if evidence.Probability(0) != .5 || evidence.Probability(1e9) != last {
		t.Error("the ends of the scale")
	}
}

func ExampleScorer_Explain() {
	l, _ := token.NewLexicon(nil)
	s := evidence.New(l, evidence.Shipped)
	cut := &token.Cutting{Cutter: token.NewCutter(l, 0)}
	view := func(clean string) *token.View {
		cut.Cut(clean)
		return cut.View()
	}
	r, list := s.Explain(view("the meeting is in madrid"), view("the meeting is in paris"))
	fmt.Println(list[0].A, "for", list[0].B, "speaks against it:", list[0].Bits < 0)
	fmt.Println("the same:", r.Probability() >= .5)
	// Output:
	// madrid for paris speaks against it: true
	// the same: false
}

// The score of a pair equals the score of its vector.
func TestVectors(t *testing.T) {
	w := evidence.Shipped
	s := shipped(t)
	a, b := "the meeting of the council is in madrid on friday", "the meeting of the council is in paris on friday"
	if got, want := s.Score(s.view(a), s.view(b)).Score, w.Score(s.Vector(s.view(a), s.view(b))); got != want {
		t.Errorf("short: %v, of the vector %v", got, want)
	}
	x, y := evidence.NewLongView(a), evidence.NewLongView(b)
	if got, want := s.Score(x, y).Score, w.Score(s.Vector(x, y)); got != want {
		t.Errorf("long: %v, of the vector %v", got, want)
	}
}
