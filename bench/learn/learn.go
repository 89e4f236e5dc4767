// Package learn fits the weights of the default decision to labelled pairs.
package learn

import (
	"math"
	"slices"
)

// Observation is one labelled pair to learn from: the quantities of its two texts, and whether a reader
// calls the texts the same.
type Observation struct {
	X      []float64
	Same   bool   // false for a part: removing it loses what only it contains
	Family string // sources that share texts or templates; a family is left out as a whole
	Made   bool   // made by a change whose meaning is known
	Test   bool   // decided by LeaveOut, never learned from
	Costly bool   // counts three times: called the same, it loses what only one text contains
}

// Lesson is the input from which the weights of a score are learned.
type Lesson struct {
	Examples []Observation
	Signs    []int   // allowed sign of each weight, 0: either
	Made     float64 // what all made pairs count, as a share of what the judged ones do
}

// Fit learns the weights from all examples but those marked Test. It is deterministic.
func (l Lesson) Fit() []float64 { return l.fit("") }

// LeaveOut returns the probability of each example that its texts are the same, by weights learned
// without its family.
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

// fit learns from all families but one.
func (l Lesson) fit(without string) []float64 {
	examples := slices.Clone(l.Examples)
	examples = slices.DeleteFunc(examples, func(e Observation) bool { return e.Test || (without != "" && e.Family == without) })
	return newLogistic(examples, weigh(examples, l.Made), l.Signs).fit()
}

// weigh keeps a large family from drowning the small ones. The n examples of a family count the square root of n
// together, scaled so that a judged example counts 1 on average.
func weigh(examples []Observation, made float64) []float64 {
	sizes := map[string]int{}
	for _, e := range examples {
		sizes[e.Family]++
	}
	weights := make([]float64, len(examples))
	var sums, counts [2]float64 // of judged and of made examples
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
