package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// row is a way to decide: its value for each pair, from 0 to 1, and the least value that means the same.
type row struct {
	name      string
	said      []float64
	threshold float64
}

func (r *row) near(i int) bool { return r.said[i] >= r.threshold }

// counts are numbers of pairs. Parts are counted separately.
type counts struct{ same, different, parts, found, wrong, partsFound int }

// count counts the pairs with these indexes.
func (l *labels) count(indexes []int, r row) (c counts) {
	for _, i := range indexes {
		p, near := &l.pairs[i], 0
		if r.near(i) {
			near = 1
		}
		switch {
		case p.part:
			c.parts++
			c.partsFound += near
		case p.same:
			c.same++
			c.found += near
		default:
			c.different++
			c.wrong += near
		}
	}
	return c
}

func ratio(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

func (c counts) precision() float64 { return ratio(c.found, c.found+c.wrong) }
func (c counts) recall() float64    { return ratio(c.found, c.same) }
func (c counts) apart() float64     { return ratio(c.different-c.wrong, c.different) }
func (c counts) f1() float64        { return ratio(2*c.found, c.same+c.found+c.wrong) }

// bootstraps is the number of samples for an interval.
const bootstraps = 400

// interval returns the 2.5th and the 97.5th percentile of F1 over samples of the pairs, drawn with replacement.
func (l *labels) interval(indexes []int, r row) (low, high float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	drawn, f1 := make([]int, len(indexes)), make([]float64, bootstraps)
	for b := range f1 {
		for i := range drawn {
			drawn[i] = indexes[rng.IntN(len(indexes))]
		}
		f1[b] = l.count(drawn, r).f1()
	}
	return percentiles(f1)
}

func percentiles(x []float64) (low, high float64) {
	slices.Sort(x)
	return x[len(x)/40], x[len(x)-1-len(x)/40]
}

// area returns the probability that a pair of the same texts has a higher value than a pair of other texts or a part. Equal
// values count half.
func (l *labels) area(indexes []int, said []float64) float64 {
	sorted := slices.Clone(indexes)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(said[a], said[b]) })
	below, area, same := 0.0, 0.0, 0.0
	for start := 0; start < len(sorted); {
		end, others, ours := start, 0.0, 0.0
		for ; end < len(sorted) && said[sorted[end]] == said[sorted[start]]; end++ {
			if l.pairs[sorted[end]].same {
				ours++
			} else {
				others++
			}
		}
		area += ours * (below + others/2)
		below += others
		same += ours
		start = end
	}
	return area / max(1, below*same)
}
