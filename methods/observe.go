package methods

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/token"
)

// Quantities are the terms of the weighted sum that gives the score of auto, in the order of evidence.Features. Weights of
// words are in natural units. Short reports which part of auto compares the texts.
type Quantities struct {
	X     []float64
	Short bool
}

// Observe returns the quantities of two clean texts. The method must be auto.
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
