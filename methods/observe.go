package methods

import (
	"github.com/neardup/neardup"
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

// Sure reports whether two texts are the same beyond doubt, by a method that is auto. They are equal, or each
// holds .95 of the other and nothing is replaced.
func Sure(m neardup.Method, clean, leader string) bool {
	a, ok := innermost(m).(*auto)
	if !ok || neardup.Blank(clean) {
		return false
	}
	if clean == leader {
		return true
	}
	x, y, ok := scored(a.Prepare(clean), a.Prepare(leader))
	return ok && a.scorer.Score(x, y).Sure
}
