package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/evidence"
)

// variant is a score that leaves out some quantities. The function quantities returns the others of a pair.
type variant struct {
	name       string
	quantities func(p *pair) []float64
}

// variants returns one variant for each quantity.
func variants() (out []variant) {
	for _, f := range evidence.Features() {
		if f == evidence.Bias {
			continue
		}
		out = append(out, variant{f.String(), func(p *pair) []float64 {
			x := slices.Clone(p.q)
			x[f] = 0
			return x
		}})
	}
	return out
}

// ablate prints, for each quantity, how many more pairs are right with it than without it. Without it, the weights are
// learned again. Every pair is decided by weights learned without its family. A part counts as not the same.
func (l *labels) ablate(out io.Writer) error {
	all := variants()
	said := l.lesson().LeaveOut()
	indexes := make([]int, len(l.pairs))
	for i := range indexes {
		indexes[i] = i
	}
	fmt.Fprintf(out, "| without | %s | all | area |\n|%s\n", strings.Join(l.genres, " | "), strings.Repeat("---|", len(l.genres)+3))
	full := l.area(indexes, said)
	for _, v := range all {
		lesson := l.lesson()
		parallel(len(l.pairs), func(i int) { lesson.Examples[i].X = v.quantities(&l.pairs[i]) })
		without := lesson.LeaveOut()
		net, sum := map[string]int{}, 0
		for i := range l.pairs {
			p := &l.pairs[i]
			worth := right(p, said[i]) - right(p, without[i])
			net[p.genre] += worth
			sum += worth
		}
		fmt.Fprintf(out, "| %s |", v.name)
		for _, genre := range l.genres {
			fmt.Fprintf(out, " %+d |", net[genre])
		}
		fmt.Fprintf(out, " %+d | %+.4f |\n", sum, full-l.area(indexes, without))
	}
	return nil
}

func right(p *pair, said float64) int {
	if (said >= .5) == p.same {
		return 1
	}
	return 0
}

const (
	labelled  = 20  // pairs of a source that a user labels
	leastLeft = 20  // least number of other pairs of the source
	drawings  = 100 // number of draws of the labelled pairs
)

// bias prints the effect of a shift of the bias that is learned from a few labels of a source. It measures the other pairs
// of the source, and prints the mean and the spread of F1 over draws of the labels.
func (l *labels) bias(out io.Writer) error {
	said := l.lesson().LeaveOut()
	fmt.Fprintf(out, "| genre (sources) | F1 before | F1 with %d labels and a shift (95 %% of %d drawings) | shift, bits |\n|---|---|---|---|\n", labelled, drawings)
	for _, genre := range l.genres {
		sets := map[string][]int{}
		var order []string
		for _, i := range l.measured(genre) {
			set := l.pairs[i].Set
			if sets[set] == nil {
				order = append(order, set)
			}
			sets[set] = append(sets[set], i)
		}
		order = slices.DeleteFunc(order, func(set string) bool { return len(sets[set]) < labelled+leastLeft })
		if len(order) == 0 || strings.HasPrefix(genre, "made") {
			continue
		}
		rng := rand.New(rand.NewPCG(2, 2))
		before, after, shifts := make([]float64, drawings), make([]float64, drawings), 0.0
		for d := range drawings {
			var left []int
			shifted := slices.Clone(said)
			for _, set := range order {
				indexes := sets[set]
				rng.Shuffle(len(indexes), func(i, j int) { indexes[i], indexes[j] = indexes[j], indexes[i] })
				bits := l.shift(indexes[:labelled], said)
				shifts += bits / float64(drawings*len(order))
				for _, i := range indexes[labelled:] {
					shifted[i] = shiftBy(said[i], bits)
				}
				left = append(left, indexes[labelled:]...)
			}
			before[d] = l.count(left, row{"", said, .5}).f1()
			after[d] = l.count(left, row{"", shifted, .5}).f1()
		}
		middle, better := mean(before), mean(after)
		low, high := percentiles(after)
		fmt.Fprintf(out, "| %s (%d) | %s | %s (%s-%s) | %+.1f |\n", genre, len(order), short(middle), short(better), short(low), short(high), shifts)
	}
	return nil
}

// shift learns a shift from the labels of some pairs.
func (l *labels) shift(indexes []int, said []float64) float64 {
	p, same := make([]float64, len(indexes)), make([]bool, len(indexes))
	for n, i := range indexes {
		p[n], same[n] = said[i], l.pairs[i].same
	}
	return eval.Shift(p, same)
}

// shiftBy adds bits to the log-odds of a probability.
func shiftBy(p, bits float64) float64 { return p / (p + (1-p)*math.Exp2(-bits)) }

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
