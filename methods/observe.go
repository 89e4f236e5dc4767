package methods

import (
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/token"
)

// Quantities are the terms of the weighted sum that is the score of auto, in the order of evidence.Features.
// Their weights are in natural units. Short reports which half of auto judges.
type Quantities struct {
	X     []float64
	Short bool
}

// Observe returns the quantities of two clean texts, of a method that is auto.
func Observe(m neardup.Method, clean, other string) (q Quantities, ok bool) {
	a, ok := innermost(m).(*auto)
	if !ok {
		return q, false
	}
	x, y, ok := scored(a.Prepare(clean), a.Prepare(other))
	if !ok {
		return q, false
	}
	_, q.Short = x.(*token.View)
	for _, n := range a.scorer.Vector(x, y) {
		q.X = append(q.X, float64(n)/token.Unit)
	}
	return q, true
}

// Signs returns the permitted signs of the weights of Quantities.
func Signs() (signs []int) {
	for _, f := range evidence.Features() {
		signs = append(signs, f.Sign())
	}
	return signs
}

// Learned makes a table from the weights of Quantities, and WeightsOf does the reverse.
func Learned(w []float64) evidence.Weights {
	bits := make([]float64, len(w))
	for i := range w {
		bits[i] = w[i] / math.Ln2
	}
	return evidence.MakeWeights(bits)
}

// WeightsOf returns the weights of Quantities in a table.
func WeightsOf(t evidence.Weights) (w []float64) {
	for _, bits := range t.Bits() {
		w = append(w, bits*math.Ln2)
	}
	return w
}
