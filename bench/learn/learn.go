// Package learn fits the weights of the default decision to labelled pairs.
package learn

import (
	"math"
	"slices"
)

// Observation is a labelled pair for learning: the quantities of its two texts, and whether a reader calls them the same.
type Observation struct {
	X      []float64
	Same   bool   // false for a part, because removing it would lose its own content
	Family string // sources that share texts or templates, which are left out together
	Made   bool   // made by a change with a known meaning
	Test   bool   // decided by LeaveOut, but not used for learning
	Costly bool   // counts three times, because removing it would lose content
}

// Lesson is the input from which the weights of a score are learned.
type Lesson struct {
	Examples []Observation
	Signs    []int   // permitted sign of each weight; 0 means either
	Made     float64 // total weight of all made pairs, relative to that of the judged ones
}

// Fit learns the weights from all examples that are not marked Test. It is deterministic.
func (l Lesson) Fit() []float64 { return l.fit("") }

// LeaveOut returns, for each example, the probability that its texts are the same, with weights learned without its family.
func (l Lesson) LeaveOut() []float64 {
	learned := map[string][]float64{}
	said := make([]float64, len(l.Examples))
	for i, e := range l.Examples {
		if learned[e.Family] == nil {
			learned[e.Family] = l.fit(e.Family)
		}
		said[i] = Probability(learned[e.Family], e.X)
	}
	return said
}

// fit learns from all families except one.
func (l Lesson) fit(without string) []float64 {
	examples := slices.Clone(l.Examples)
	examples = slices.DeleteFunc(examples, func(e Observation) bool { return e.Test || (without != "" && e.Family == without) })
	return newLogistic(examples, weigh(examples, l.Made), l.Signs).fit()
}

// weigh limits the influence of large families. The n examples of a family together weigh the square root of n, scaled so
// that a judged example weighs 1 on average.
func weigh(examples []Observation, made float64) []float64 {
	sizes := map[string]int{}
	for _, e := range examples {
		sizes[e.Family]++
	}
	weights := make([]float64, len(examples))
	var sums, counts [2]float64 // sums and numbers of judged and of made examples
	for i, e := range examples {
		weights[i] = 1 / math.Sqrt(float64(sizes[e.Family]))
		if e.Costly {
			weights[i] *= 3
		}
		sums[kindOf(e)] += weights[i]
		counts[kindOf(e)]++
	}
	for i, e := range examples {
		total := counts[0]
		if e.Made && counts[0] > 0 {
			total *= made
		} else if e.Made {
			total = counts[1]
		}
		weights[i] *= total / sums[kindOf(e)]
	}
	return weights
}

func kindOf(e Observation) int {
	if e.Made {
		return 1
	}
	return 0
}
