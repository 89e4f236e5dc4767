package learn

import (
	"math"
	"slices"
)

// ridge pulls each weight, except the first (the bias), towards 0. It is the cost of being off by
// one standard unit of the quantity, as a share of all examples.
const ridge = .002

// Probability returns the probability that texts with these quantities are the same. The weights are in
// natural units.
func Probability(weights, x []float64) float64 { return 1 / (1 + math.Exp(-sum(weights, x))) }

func sum(weights, x []float64) float64 {
	z := 0.0
	for k, w := range weights {
		z += w * x[k]
	}
	return z
}

// logistic is a logistic regression with weighted examples, given signs of the weights, and a ridge.
type logistic struct {
	examples []Observation
	counts   []float64 // weight of each example
	signs    []int
	pull     []float64 // curvature of the ridge
}

// newLogistic prepares a regression.
func newLogistic(examples []Observation, counts []float64, signs []int) logistic {
	l := logistic{examples, counts, signs, make([]float64, len(signs))}
	for i, e := range examples {
		for k, x := range e.X {
			l.pull[k] += counts[i] * x * x
		}
	}
	for k := range l.pull {
		l.pull[k] *= min(float64(k), 1) * ridge
	}
	return l
}

// fit returns the weights with the least loss, by Newton's method in about ten rounds. A step that does not lower the loss
// is halved.
func (l logistic) fit() []float64 {
	w := make([]float64, len(l.signs))
	loss := l.loss(w)
	for range 100 {
		step := l.step(w)
		next := slices.Clone(w)
		lower := loss
		for halved := 0; halved < 30 && lower >= loss; halved++ {
			for k := range w {
				next[k] = w[k] + math.Ldexp(step[k], -halved)
			}
			lower = l.loss(next)
		}
		if lower >= loss {
			break
		}
		w, loss = next, lower
	}
	return w
}

func (l logistic) loss(w []float64) float64 {
	loss := 0.0
	for i, e := range l.examples {
		z := sum(w, e.X)
		if e.Same {
			z = -z
		}
		loss += l.counts[i] * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))))
	}
	for k := range w {
		loss += l.pull[k] / 2 * w[k] * w[k]
	}
	return loss
}

// step returns the step to the minimum of the quadratic approximation at w within the signs, by coordinate descent.
func (l logistic) step(w []float64) []float64 {
	gradient, curve := l.approximate(w)
	step := make([]float64, len(w))
	for range 1000 {
		most := 0.0
		for k := range w {
			if curve[k][k] == 0 {
				continue
			}
			next := w[k] + step[k] - (gradient[k]+sum(curve[k], step))/curve[k][k]
			switch {
			case l.signs[k] > 0:
				next = max(next, 0)
			case l.signs[k] < 0:
				next = min(next, 0)
			}
			most = max(most, math.Abs(next-w[k]-step[k])*math.Sqrt(curve[k][k]))
			step[k] = next - w[k]
		}
		if most < 1e-9 {
			break
		}
	}
	return step
}

// approximate returns the gradient and the second derivatives of the loss at w.
func (l logistic) approximate(w []float64) (gradient []float64, curve [][]float64) {
	gradient, curve = make([]float64, len(w)), make([][]float64, len(w))
	for k := range w {
		gradient[k] = l.pull[k] * w[k]
		curve[k] = make([]float64, len(w))
		curve[k][k] = l.pull[k]
	}
	for i, e := range l.examples {
		p := Probability(w, e.X)
		off, weight := p, max(p*(1-p), 1e-6)*l.counts[i]
		if e.Same {
			off--
		}
		for k, x := range e.X {
			gradient[k] += l.counts[i] * off * x
			for j, other := range e.X {
				curve[k][j] += weight * x * other
			}
		}
	}
	return gradient, curve
}
