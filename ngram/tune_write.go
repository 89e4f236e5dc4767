package ngram

import (
	"bytes"
	"fmt"
	"io"

	"github.com/neardup/neardup/internal/plot"
)

// WriteText prints the proposal and both curves as tables.
func (r Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d similar pairs, %d negatives, %d texts; goal for recall %.3g\n\n", r.Pairs, r.Negatives, r.Texts, r.Recall)
	fmt.Fprintf(&b, "proposed m          %d\nproposed threshold  %.2f (%s similarity)\n", r.M, r.Threshold, r.Similarity)
	if r.M == 0 {
		fmt.Fprintf(&b, "no m reaches the goal: keep keys=exact\n")
	}
	if r.Threshold == 0 {
		fmt.Fprintf(&b, "no threshold from 0.50 up reaches the goal\n")
	}
	fmt.Fprintf(&b, "\n m   found   share   work\n")
	for _, p := range r.ByM {
		fmt.Fprintf(&b, "%2d  %6d  %6.4f  %9.2f\n", p.M, p.Found, p.Share, p.Work)
	}
	fmt.Fprintf(&b, "\nthreshold   found   share   wrong   work\n")
	for _, p := range r.ByThreshold {
		fmt.Fprintf(&b, "%9.2f  %6d  %6.4f  %6d  %9.2f\n", p.Threshold, p.Found, p.Share, p.Wrong, p.Work)
	}
	fmt.Fprintf(&b, "\nwork: other texts of the sample in the buckets of a text\n")
	_, err := b.WriteTo(w)
	return err
}

// WriteSVG draws the curves by m and by threshold next to each other, with the proposal marked. The left axis shows the
// pairs found, and the right one the work in powers of ten. The drawing has about 6 KB.
func (r Report) WriteSVG(w io.Writer) error {
	byM := drawing{title: "By length m of the common substring", x: "m, letters and digits in a row", format: "%.0f"}
	for _, p := range r.ByM {
		byM.add(float64(p.M), p.Share, p.Work)
	}
	if r.M > 0 {
		byM.marks = []plot.Mark{{X: float64(r.M), Label: fmt.Sprintf("m = %d", r.M)}}
	}
	byThreshold := drawing{title: "By threshold of " + r.Similarity + " similarity", x: "threshold", format: "%.2f"}
	for _, p := range r.ByThreshold {
		byThreshold.add(p.Threshold, p.Share, p.Work)
		if r.Negatives > 0 {
			byThreshold.wrong = append(byThreshold.wrong, plot.Point{X: p.Threshold, Y: float64(p.Wrong) / float64(r.Negatives)})
		}
	}
	if r.Threshold > 0 {
		byThreshold.marks = []plot.Mark{{X: r.Threshold, Label: fmt.Sprintf("threshold %.2f", r.Threshold)}}
	}
	return plot.Write(w, "Pairs found and work done, by m and by threshold", 2, byM.chart(), byThreshold.chart())
}

// drawing collects the points of a chart.
type drawing struct {
	title, x, format     string
	marks                []plot.Mark
	found, wrong, worked []plot.Point
}

func (d *drawing) add(x, share, work float64) {
	d.found = append(d.found, plot.Point{X: x, Y: share})
	d.worked = append(d.worked, plot.Point{X: x, Y: work})
}

func (d *drawing) chart() plot.Chart {
	const foundColour, wrongColour, workColour = "#1f5fa8", "#a8204f", "#b4521a"
	work := make([]float64, len(d.worked))
	for i, p := range d.worked {
		work[i] = p.Y
	}
	low, high := plot.Decades(work...)
	c := plot.Chart{
		Title: d.title, X: d.x, Format: d.format, Marks: d.marks,
		Left:  plot.Axis{Label: "share of the pairs found", Format: "%.2f", Colour: foundColour, Max: 1},
		Right: &plot.Axis{Label: "work: texts met, a text", Format: "%.7g", Colour: workColour, Min: low, Max: high},
		Lines: []plot.Line{{Name: "similar", Colour: foundColour, Points: d.found}},
	}
	if d.wrong != nil {
		c.Lines = append(c.Lines, plot.Line{Name: "negatives", Colour: wrongColour, Points: d.wrong})
	}
	c.Lines = append(c.Lines, plot.Line{Name: "work", Colour: workColour, Dashed: true, Right: true, Points: d.worked})
	return c
}
