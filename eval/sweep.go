package eval

import (
	"io"
	"slices"

	"github.com/neardup/neardup/internal/plot"
)

// Setting is what one setting of a method gives on judged pairs.
type Setting struct {
	Name      string  `json:"name"`
	Threshold float64 `json:"threshold,omitempty"`
	Short     Scores  `json:"short"`
	Long      Scores  `json:"long"`
}

// Scores are precision and recall of a group of pairs.
type Scores struct {
	Pairs     int  `json:"pairs"`
	Precision Rate `json:"precision"`
	Recall    Rate `json:"recall"`
}

// SettingOf takes the scores of short and long pairs out of a report.
func SettingOf(name string, r JudgedReport) Setting {
	s := Setting{Name: name}
	for _, score := range r.Scores {
		switch scores := (Scores{score.Pairs, score.Precision, score.Recall}); score.Group {
		case "short":
			s.Short = scores
		case "long":
			s.Long = scores
		}
	}
	return s
}

// Sweep is precision and recall against the threshold.
type Sweep struct {
	Settings []Setting `json:"settings"` // by threshold
	Default  float64   `json:"default"`  // marked; 0: none
}

// WriteSVG draws short and long pairs side by side, with the intervals dashed.
func (s Sweep) WriteSVG(w io.Writer) error {
	chart := func(title string, of func(Setting) Scores) plot.Chart {
		c := plot.Chart{
			Title: title, X: "threshold", Format: "%.2f",
			Left: plot.Axis{Label: "share, 95 % intervals dashed", Format: "%.1f", Max: 1},
		}
		if s.Default > 0 {
			c.Marks = []plot.Mark{{X: s.Default, Label: "default"}}
		}
		for _, l := range []struct {
			name, colour string
			rate         func(Scores) Rate
		}{{"precision", "#06c", func(s Scores) Rate { return s.Precision }}, {"recall", "#c40", func(s Scores) Rate { return s.Recall }}} {
			line := plot.Line{Name: l.name, Colour: l.colour}
			low, high := plot.Line{Colour: l.colour, Dashed: true}, plot.Line{Colour: l.colour, Dashed: true}
			for _, p := range s.Settings {
				r := l.rate(of(p))
				line.Points = append(line.Points, plot.Point{X: p.Threshold, Y: r.Share})
				low.Points = append(low.Points, plot.Point{X: p.Threshold, Y: r.Low})
				high.Points = append(high.Points, plot.Point{X: p.Threshold, Y: r.High})
			}
			c.Lines = append(c.Lines, line, low, high)
		}
		return c
	}
	return plot.Write(w, "Precision and recall against the threshold", 2,
		chart("Short texts", func(s Setting) Scores { return s.Short }), chart("Long texts", func(s Setting) Scores { return s.Long }))
}

// Thresholds are those of a sweep: from .3 to .95, every .05.
func Thresholds() []float64 {
	var all []float64
	for n := 6; n < 20; n++ {
		all = append(all, float64(n)/20)
	}
	return slices.Clip(all)
}
