package eval

import (
	"math"
	"slices"
)

// Observation is one decision to learn from: the quantities of a text and of the
// leader it may go for, and whether it may.
type Observation struct {
	X      []float64
	Same   bool
	Weight float64 // how much it counts
	Source string  // what is left out together
	Short  bool
	// Made by a change whose meaning is known: a lesson, and no test of other sources.
	Made bool
	// Part: one of the texts says more than the other. It is counted apart.
	Part bool
}

// Fit returns the weights of a logistic regression, in natural units: those
// that make the examples likeliest, less penalty times the square of how far each
// is from its prior, by the spread of its quantity. A weight is nowhere of the other
// sign than signs says (0: either). The
// same examples in the same order give the same weights: cyclic coordinate
// descent by Newton steps, until no weight moves (Genkin, Lewis, Madigan 2007).
// O(rounds * examples * quantities).
func Fit(examples []Observation, signs []int, prior []float64, penalty float64) []float64 {
	n := len(signs)
	w := slices.Clone(prior)
	if len(examples) == 0 {
		return w
	}
	scale := make([]float64, n)
	for k := range scale {
		sum, squares, count := 0.0, 0.0, 0.0
		for i := range examples {
			e := &examples[i]
			sum += e.Weight * e.X[k]
			squares += e.Weight * e.X[k] * e.X[k]
			count += e.Weight
		}
		scale[k] = max(squares/count-sum/count*sum/count, 1e-12)
	}
	margin := make([]float64, len(examples)) // w.x
	for i := range examples {
		for k, x := range examples[i].X {
			margin[i] += w[k] * x
		}
	}
	trust := make([]float64, n)
	for k := range trust {
		trust[k] = 1
	}
	for range 2000 {
		most := 0.0
		for k := range w {
			gradient, curve := 2*penalty*scale[k]*(w[k]-prior[k]), 2*penalty*scale[k]
			for i := range examples {
				e := &examples[i]
				x := e.X[k]
				if x == 0 {
					continue
				}
				p := 1 / (1 + math.Exp(-margin[i]))
				target := 0.0
				if e.Same {
					target = 1
				}
				gradient += e.Weight * (p - target) * x
				curve += e.Weight * max(p*(1-p), 1e-4) * x * x
			}
			if curve == 0 {
				continue
			}
			step := min(max(-gradient/curve, -trust[k]), trust[k])
			next := w[k] + step
			if signs[k] > 0 {
				next = max(next, 0)
			} else if signs[k] < 0 {
				next = min(next, 0)
			}
			step = next - w[k]
			trust[k] = max(2*math.Abs(step), trust[k]/2, 1e-6)
			if step == 0 {
				continue
			}
			w[k] = next
			for i := range examples {
				margin[i] += step * examples[i].X[k]
			}
			most = max(most, math.Abs(step)*math.Sqrt(scale[k]))
		}
		if most < 1e-7 {
			break
		}
	}
	return w
}
