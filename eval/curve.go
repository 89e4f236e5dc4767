package eval

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/neardup/neardup/internal/plot"
)

// Scored is a labelled pair with its similarity. The similarity is 0 for variants and for pairs without a common key,
// because they are not duplicates at any threshold.
type Scored struct {
	Similarity float64
	Positive   bool
}

// CurvePoint is the result at a threshold.
type CurvePoint struct {
	Threshold float64 `json:"threshold"`
	Precision Rate    `json:"precision"`
	Recall    Rate    `json:"recall"`
	// F1 is the harmonic mean of precision and recall.
	F1 float64 `json:"f1"`
}

// CurveReport holds precision and recall for each threshold, and a proposal.
type CurveReport struct {
	Method   string       `json:"method"`
	Positive int          `json:"positive"` // pairs labelled as duplicates
	Negative int          `json:"negative"` // all other pairs
	Points   []CurvePoint `json:"points"`
	Proposed CurvePoint   `json:"proposed"`
	// Bias is added to the score of every pair, in bits, for method auto at its usual threshold; see Shift.
	Bias float64 `json:"bias,omitempty"`
	// Few names the data that is too small for a reliable proposal, or is "".
	Few string `json:"few,omitempty"`
}

// Aim selects the threshold to propose.
type Aim struct {
	// Precision, if not 0, selects the lowest threshold with at least this precision. Otherwise, the threshold with the
	// best F1 is selected. If no pair is negative, it is the highest threshold with at least Recall.
	Precision float64
	Recall    float64
}

const (
	curveStep   = 50  // thresholds are multiples of 1/50
	fewPairs    = 30  // fewer pairs of a kind are too few
	wideShare   = .1  // half the width of an interval that is too wide
	nearTheBest = .02 // a smaller difference in F1 does not count
)

// Curve measures thresholds from floor to 1 on labelled pairs.
func Curve(method string, pairs []Scored, floor float64, aim Aim) CurveReport {
	r := CurveReport{Method: method}
	for _, p := range pairs {
		if p.Positive {
			r.Positive++
		} else {
			r.Negative++
		}
	}
	for i := int(math.Ceil(floor*curveStep - 1e-9)); i <= curveStep; i++ {
		r.Points = append(r.Points, pointAt(pairs, float64(i)/curveStep, r.Positive))
	}
	r.Proposed = r.propose(aim)
	r.Few = r.few()
	return r
}

func pointAt(pairs []Scored, threshold float64, positive int) CurvePoint {
	called, right := 0, 0
	for _, p := range pairs {
		if p.Similarity >= threshold {
			called++
			if p.Positive {
				right++
			}
		}
	}
	p := CurvePoint{Threshold: threshold, Precision: NewRate(right, called), Recall: NewRate(right, positive)}
	if called+positive > 0 {
		p.F1 = 2 * float64(right) / float64(called+positive)
	}
	return p
}

// propose selects a point. Among the points whose F1 is as good as the best, it takes the highest threshold, because wrong
// removals lose texts.
func (r *CurveReport) propose(aim Aim) CurvePoint {
	switch {
	case aim.Precision > 0:
		for _, p := range r.Points {
			if p.Precision.Of > 0 && p.Precision.Share >= aim.Precision {
				return p
			}
		}
		return r.Points[len(r.Points)-1]
	case r.Negative == 0:
		for _, p := range slices.Backward(r.Points) {
			if p.Recall.Share >= aim.Recall {
				return p
			}
		}
		return r.Points[0]
	}
	best := slices.MaxFunc(r.Points, func(a, b CurvePoint) int { return cmp.Compare(a.F1, b.F1) })
	for _, p := range slices.Backward(r.Points) {
		if p.F1 >= best.F1-nearTheBest*best.F1 {
			return p
		}
	}
	return best
}

func (r *CurveReport) few() string {
	half := func(x Rate) float64 { return (x.High - x.Low) / 2 }
	switch p := r.Proposed; {
	case r.Positive < fewPairs:
		return fmt.Sprintf("too few pairs that are duplicates: %d (want at least %d)", r.Positive, fewPairs)
	case r.Negative == 0:
		return "no pair is labelled different, so the precision is unknown"
	case r.Negative < fewPairs:
		return fmt.Sprintf("too few pairs that are not duplicates: %d (want at least %d)", r.Negative, fewPairs)
	case half(p.Precision) > wideShare || half(p.Recall) > wideShare:
		return fmt.Sprintf("too few pairs: the intervals at the proposal are wider than %v on either side", wideShare)
	}
	return ""
}

// WriteText writes the curve as a table for people.
func (r CurveReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d pairs that are duplicates, %d that are not\n\n%-10s %-36s %-36s %s\n", r.Method, r.Positive, r.Negative, "threshold", "precision", "recall", "F1")
	for _, p := range r.Points {
		mark := ""
		if p.Threshold == r.Proposed.Threshold {
			mark = "  <- proposed"
		}
		fmt.Fprintf(&b, "%-10.2f %-36v %-36v %.4f%s\n", p.Threshold, p.Precision, p.Recall, p.F1, mark)
	}
	if r.Bias != 0 {
		fmt.Fprintf(&b, "\nbias=%v decides as your readers do, at the default threshold\n", r.Bias)
	}
	if r.Few != "" {
		fmt.Fprintf(&b, "\nwarning: %s\n", r.Few)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSVG draws the curve, with the intervals dashed.
func (r CurveReport) WriteSVG(w io.Writer) error {
	c := plot.Chart{
		Title: r.Method, X: "threshold", Format: "%.2f", Marks: []plot.Mark{{X: r.Proposed.Threshold, Label: "proposed"}},
		Left: plot.Axis{Label: "share, 95 % intervals dashed", Format: "%.1f", Max: 1},
	}
	line := func(name, colour string, y func(CurvePoint) float64) {
		l := plot.Line{Name: name, Colour: colour, Dashed: name == ""}
		for _, p := range r.Points {
			l.Points = append(l.Points, plot.Point{X: p.Threshold, Y: y(p)})
		}
		c.Lines = append(c.Lines, l)
	}
	for _, of := range []struct {
		name, colour string
		rate         func(CurvePoint) Rate
	}{{"precision", "#06c", func(p CurvePoint) Rate { return p.Precision }}, {"recall", "#c40", func(p CurvePoint) Rate { return p.Recall }}} {
		line(of.name, of.colour, func(p CurvePoint) float64 { return of.rate(p).Share })
		line("", of.colour, func(p CurvePoint) float64 { return of.rate(p).Low })
		line("", of.colour, func(p CurvePoint) float64 { return of.rate(p).High })
	}
	return plot.Write(w, "Precision and recall against the threshold", 1, c)
}
