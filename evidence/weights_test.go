package evidence_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/token"
)

func table(t *testing.T) (evidence.Weights, string) {
	t.Helper()
	w, err := evidence.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	return w, b.String()
}

// A table is read as it was written, and each number belongs to its feature.
func TestWeightsAreWrittenAndRead(t *testing.T) {
	w, written := table(t)
	again, err := evidence.ReadWeights(written)
	if err != nil || !reflect.DeepEqual(again, w) || again.Digest() != w.Digest() {
		t.Fatalf("read %+v, %v; written %+v", again, err, w)
	}
	if !reflect.DeepEqual(evidence.MakeWeights(w.Bits()), w) {
		t.Error("the bits of a table make another one")
	}
	if w.Shifted(-1).Digest() == w.Digest() || w.Shifted(-1).Shifted(1) != w {
		t.Error("two tables have one digest, or a shift does not add up")
	}
	l, err := token.NewLexicon(nil)
	if err != nil {
		t.Fatal(err)
	}
	if label := evidence.New(l, w).Label(); label != w.Digest()+","+token.TablesLabel {
		t.Error(label)
	}
}

func TestBadWeightsAreNamed(t *testing.T) {
	_, written := table(t)
	line := func(f evidence.Feature) string {
		for l := range strings.Lines(written) {
			if strings.HasPrefix(l, f.String()+" ") {
				return l
			}
		}
		t.Fatalf("no line for %s", f)
		return ""
	}
	for want, s := range map[string]string{
		"no line for number":                  strings.Replace(written, line(evidence.Number), "", 1),
		`"subject": not a feature`:            written + "subject = 1\n",
		"number: given twice":                 written + line(evidence.Number),
		`number: invalid number of bits " x"`: strings.Replace(written, line(evidence.Number), "number = x\n", 1),
		"number: 2 bits have the wrong sign":  strings.Replace(written, line(evidence.Number), "number = 2\n", 1),
		"coverage: -1 bits have the wrong":    strings.Replace(written, line(evidence.Coverage), "coverage = -1\n", 1),
		`bias: invalid number of bits " 1e9"`: strings.Replace(written, line(evidence.Bias), "bias = 1e9\n", 1),
		`bias: invalid number of bits " NaN"`: strings.Replace(written, line(evidence.Bias), "bias = NaN\n", 1),
		fmt.Sprintf("weights, line %d:", 99):  strings.Repeat("# nothing\n", 98) + "x = 1\n",
	} {
		if _, err := evidence.ReadWeights(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

func FuzzReadWeights(f *testing.F) {
	f.Add("bias = 1\n# word\ncoverage=.5")
	f.Fuzz(func(t *testing.T, s string) {
		w, err := evidence.ReadWeights(s)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again, err := evidence.ReadWeights(b.String()); err != nil || !reflect.DeepEqual(again, w) {
			t.Errorf("%v, %v", again, err)
		}
	})
}

// The score is the sum of the products.
func TestScoreIsASum(t *testing.T) {
	w, _ := table(t)
	v, want := evidence.Vector{}, 0.0
	for i, f := range evidence.Features() {
		v[f] = int32(i+1) * token.Unit / 4
		want += w.Bits()[f] * float64(i+1) / 4
		if (f.Sign() > 0 && w[f] < 0) || (f.Sign() < 0 && w[f] > 0) {
			t.Errorf("%s has a weight of the wrong sign", f)
		}
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
	w, _ := evidence.Shipped()
	s := evidence.New(l, w)
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
	w, _ := table(t)
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
