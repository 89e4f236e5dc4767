package learn

import (
	"math"

	"github.com/neardup/neardup/evidence"
)

// Signs returns the permitted signs of the weights of methods.Quantities: 1 if a quantity only speaks for a match, -1 if
// only against, 0 if either. They prevent a fit to accidents of a sample.
func Signs() (signs []int) {
	for _, f := range evidence.Features() {
		sign := -1
		switch f {
		case evidence.Bias, evidence.Length:
			sign = 0
		case evidence.Coverage:
			sign = 1
		}
		signs = append(signs, sign)
	}
	return signs
}

// Table converts weights of methods.Quantities to a table, and Weights does the reverse.
func Table(w []float64) evidence.Weights {
	bits := make([]float64, len(w))
	for i := range w {
		bits[i] = w[i] / math.Ln2
	}
	return evidence.MakeWeights(bits)
}

// Weights returns the weights of methods.Quantities in a table.
func Weights(t evidence.Weights) (w []float64) {
	for _, n := range t {
		w = append(w, float64(n)/(1<<12)*math.Ln2)
	}
	return w
}
