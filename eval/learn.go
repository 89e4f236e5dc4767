package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Lesson is what the weights of a score are learned from.
type Lesson struct {
	Examples []Observation
	Signs    []int     // of each weight, 0: either
	Prior    []float64 // the weights without any example
}

// Weigh lets no source drown the others: of n pairs of one source each counts as
// 1/sqrt(n/50), and all made pairs together as made times the judged ones.
func (l *Lesson) Weigh(made float64) {
	of, sums := map[string]float64{}, map[bool]float64{}
	for i := range l.Examples {
		of[l.Examples[i].Source]++
	}
	for i := range l.Examples {
		e := &l.Examples[i]
		e.Weight = .5 / math.Sqrt(max(1, of[e.Source]/100)) // two examples a pair
		if e.Part {
			e.Weight *= 2 // they are few, and what they cost is lost
		}
		sums[e.Made] += e.Weight
	}
	for i := range l.Examples {
		if e := &l.Examples[i]; e.Made && sums[false] > 0 {
			e.Weight *= made * sums[false] / sums[true]
		}
	}
}

// The penalty holds weights near their prior: as much as so many examples of somebody
// else's do, where there are some behind it.
const (
	priorCounts = 50
	leastCounts = 1    // without a prior
	penaltyEach = .002 // of what the examples count together
)

// Fit returns the weights.
func (l Lesson) Fit() []float64 {
	sum := 0.0
	for i := range l.Examples {
		sum += l.Examples[i].Weight
	}
	penalty := leastCounts + penaltyEach*sum
	if slices.ContainsFunc(l.Prior, func(w float64) bool { return w != 0 }) {
		penalty += priorCounts
	}
	return Fit(l.Examples, l.Signs, l.Prior, penalty)
}

// LearnedScore is how a group of pairs was decided by weights that were learned
// without their source.
type LearnedScore struct {
	Group     string `json:"group"`
	Pairs     int    `json:"pairs"`
	Precision Rate   `json:"precision"`
	Recall    Rate   `json:"recall"`
	Apart     Rate   `json:"apart"` // of those that are not the same, told apart
	Parts     Rate   `json:"parts"` // of those of which one says more, decided right
}

// Calibration is how many of the pairs of which about so much was said were the same.
type Calibration struct {
	Said  float64 `json:"said"`
	Share Rate    `json:"share"`
}

// Learned is what LeaveOneOut measured.
type Learned struct {
	Scores      []LearnedScore `json:"scores"`
	Calibration []Calibration  `json:"calibration"`
}

// LeaveOneOut decides the examples of each judged source by weights learned
// without it. Made pairs are scored by the weights of all.
func (l Lesson) LeaveOneOut(threshold float64) Learned {
	all := l.Fit()
	by := map[string][]*Observation{}
	var sources []string
	for i := range l.Examples {
		e := &l.Examples[i]
		if by[e.Source] == nil {
			sources = append(sources, e.Source)
		}
		by[e.Source] = append(by[e.Source], e)
	}
	slices.Sort(sources)
	said := map[*Observation]float64{}
	for _, source := range sources {
		w := all
		if !by[source][0].Made {
			rest := Lesson{Signs: l.Signs, Prior: l.Prior}
			for _, e := range l.Examples {
				if e.Source != source {
					rest.Examples = append(rest.Examples, e)
				}
			}
			w = rest.Fit()
		}
		for _, e := range by[source] {
			said[e] = probability(w, e.X)
		}
	}
	return l.score(said, threshold)
}

func probability(w, x []float64) float64 {
	z := 0.0
	for k := range w {
		z += w[k] * x[k]
	}
	return 1 / (1 + math.Exp(-z))
}

// learnedCounts are of examples, two a pair.
type learnedCounts struct{ pairs, called, same, right, others, apart, parts, partsRight int }

func (l Lesson) score(said map[*Observation]float64, threshold float64) Learned {
	counts := groups[learnedCounts]{}
	const bins = 10
	var inBin, sameInBin [bins]int
	for i := range l.Examples {
		e := &l.Examples[i]
		near := said[e] >= threshold
		kind := "judged"
		if e.Made {
			kind = "made"
		}
		for _, name := range []string{kind + " " + lengthName(e.Short), e.Source + " " + lengthName(e.Short)} {
			counts.of(name).add(e, near)
		}
		if !e.Made && !e.Part {
			b := min(int(said[e]*bins), bins-1)
			inBin[b]++
			if e.Same {
				sameInBin[b]++
			}
		}
	}
	var out Learned
	for _, name := range counts.names("judged short", "judged long", "made short", "made long") {
		out.Scores = append(out.Scores, counts.of(name).score(name))
	}
	for b := range bins {
		out.Calibration = append(out.Calibration, Calibration{(float64(b) + .5) / bins, NewRate(sameInBin[b]/2, inBin[b]/2)})
	}
	return out
}

func (c *learnedCounts) add(e *Observation, near bool) {
	c.pairs++
	if e.Part {
		c.parts++
		if near == e.Same {
			c.partsRight++
		}
		return
	}
	if near {
		c.called++
	}
	switch {
	case e.Same:
		c.same++
		if near {
			c.right++
		}
	default:
		c.others++
		if !near {
			c.apart++
		}
	}
}

// score halves the counts: an interval is of pairs.
func (c *learnedCounts) score(name string) LearnedScore {
	half := func(part, whole int) Rate { return NewRate((part+1)/2, (whole+1)/2) }
	return LearnedScore{
		Group: name, Pairs: c.pairs / 2, Precision: half(c.right, c.called), Recall: half(c.right, c.same),
		Apart: half(c.apart, c.others), Parts: half(c.partsRight, c.parts),
	}
}

// WriteText writes the report for people.
func (l Learned) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "each judged source decided by weights learned without it\n\n%-40s %6s  %-21s %-21s %-21s %s\n", "", "pairs", "precision", "recall", "told apart", "parts right")
	rate := func(r Rate) string {
		if r.Of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f (%.3f-%.3f)", r.Share, r.Low, r.High)
	}
	for _, s := range l.Scores {
		fmt.Fprintf(&b, "%-40s %6d  %-21s %-21s %-21s %s\n", s.Group, s.Pairs, rate(s.Precision), rate(s.Recall), rate(s.Apart), rate(s.Parts))
	}
	b.WriteString("\nsaid    were the same (judged)\n")
	for _, c := range l.Calibration {
		fmt.Fprintf(&b, "%.2f    %s of %d\n", c.Said, rate(c.Share), c.Share.Of)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
