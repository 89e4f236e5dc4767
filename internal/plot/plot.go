// Package plot draws small line charts next to each other as SVG for reports. The SVG needs no script, font
// or style sheet.
package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
)

// Point is one value of a line.
type Point struct{ X, Y float64 }

// An Axis is a vertical scale from 0 to Max. If Min > 0, it is a logarithmic scale from Min to Max. A value
// outside is drawn on the edge.
type Axis struct {
	Label    string
	Format   string // format of a value, for example "%.2f"
	Colour   string // "" means grey
	Min, Max float64
}

// A Mark is a vertical line with a label above it.
type Mark struct {
	X     float64
	Label string
}

// A Line is one curve. If Right is set, it uses the right axis.
type Line struct {
	Name   string // name in the legend; "" omits it there
	Colour string
	Dashed bool
	Right  bool
	Points []Point
}

// A Chart is one drawing. All lines share the x values of the first line, which must have at least two rising
// values.
type Chart struct {
	Title  string
	X      string // label of the x axis
	Format string // format of an x value
	Left   Axis
	Right  *Axis // nil if there is no right axis
	Marks  []Mark
	Lines  []Line
}

// The size of a chart and of the plot in it.
const (
	width, height    = 560.0, 356.0
	left, top        = 70.0, 60.0
	plotWide, plotUp = 340.0, 240.0
	legendStep       = 14.0
	valuesWide       = 58.0 // width of the values of the right axis
)

// Write draws charts in rows of the given number of columns, with a title for screen readers. A chart takes
// about 2 KB.
func Write(w io.Writer, title string, columns int, charts ...Chart) error {
	var b bytes.Buffer
	columns = max(1, min(columns, len(charts)))
	rows := (len(charts) + columns - 1) / columns
	wide, up := width*float64(columns), height*float64(rows)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", wide, up, wide, up)
	fmt.Fprintf(&b, `<title>%s</title><rect width="%.0f" height="%.0f" fill="white"/>`+"\n", html.EscapeString(title), wide, up)
	for i, c := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%.0f %.0f)">`+"\n", width*float64(i%columns), height*float64(i/columns))
		c.draw(&b)
		fmt.Fprintf(&b, "</g>\n")
	}
	fmt.Fprintf(&b, "</svg>\n")
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write drawing: %w", err)
	}
	return nil
}

func (c *Chart) draw(b *bytes.Buffer) {
	fmt.Fprintf(b, `<text x="%.0f" y="20" font-size="14">%s</text>`+"\n", left, html.EscapeString(c.Title))
	c.Left.grid(b)
	c.Left.draw(b, left-6, "end", left, "start")
	legend := left + plotWide + 8
	if c.Right != nil {
		c.Right.draw(b, left+plotWide+6, "start", left+plotWide, "end")
		legend += valuesWide
	}
	c.drawX(b)
	for _, m := range c.Marks {
		m.draw(b, c.x(m.X))
	}
	named := 0
	for _, l := range c.Lines {
		c.line(b, l)
		if l.Name != "" {
			l.legend(b, legend, top+8+legendStep*float64(named))
			named++
		}
	}
}

// draw aligns the label so that it stays within the plot.
func (m Mark) draw(b *bytes.Buffer, x float64) {
	anchor := "middle"
	switch {
	case x < left+plotWide/8:
		anchor = "start"
	case x > left+plotWide*7/8:
		anchor = "end"
	}
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.0f" x2="%.1f" y2="%.0f" stroke="#444" stroke-dasharray="2 3"/>`, x, top-2, x, top+plotUp)
	fmt.Fprintf(b, `<text x="%.1f" y="%.0f" font-size="11" text-anchor="%s">%s</text>`+"\n", x, top-6, anchor, html.EscapeString(m.Label))
}

// draw writes the values of an axis at x and its label above.
func (a *Axis) draw(b *bytes.Buffer, x float64, anchor string, labelX float64, labelAnchor string) {
	colour := a.Colour
	if colour == "" {
		colour = "#555"
	}
	fmt.Fprintf(b, `<text x="%.0f" y="38" fill="%s" text-anchor="%s">%s</text>`+"\n", labelX, colour, labelAnchor, html.EscapeString(a.Label))
	for _, v := range a.ticks() {
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" fill="%s" text-anchor="%s">`+a.Format+"</text>\n", x, a.y(v)+4, colour, anchor, v)
	}
}

func (a *Axis) grid(b *bytes.Buffer) {
	for _, v := range a.ticks() {
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="#ddd"/>`+"\n", left, a.y(v), left+plotWide, a.y(v))
	}
}

// ticks returns the quarters of a linear axis, or the powers of ten of a logarithmic one.
func (a *Axis) ticks() []float64 {
	if a.Min <= 0 {
		return []float64{0, a.Max / 4, a.Max / 2, a.Max * 3 / 4, a.Max}
	}
	var values []float64
	for v := a.Min; v <= a.Max*1.001; v *= 10 {
		values = append(values, v)
	}
	return values
}

// y returns the vertical position of a value.
func (a *Axis) y(value float64) float64 {
	share := value / a.Max
	if a.Min > 0 {
		share = math.Log(max(value, a.Min)/a.Min) / math.Log(a.Max/a.Min)
	}
	return top + plotUp*(1-max(0, min(share, 1)))
}

// drawX writes every second x value and the label of the axis.
func (c *Chart) drawX(b *bytes.Buffer) {
	for i, p := range c.Lines[0].Points {
		if i%2 == 0 {
			fmt.Fprintf(b, `<text x="%.1f" y="%.0f" text-anchor="middle">`+c.Format+"</text>\n", c.x(p.X), top+plotUp+18, p.X)
		}
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", left+plotWide/2, top+plotUp+40, html.EscapeString(c.X))
}

func (c *Chart) line(b *bytes.Buffer, l Line) {
	axis := &c.Left
	if l.Right && c.Right != nil {
		axis = c.Right
	}
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2"%s points="`, l.Colour, l.dash())
	for _, p := range l.Points {
		fmt.Fprintf(b, "%.1f,%.1f ", c.x(p.X), axis.y(p.Y))
	}
	fmt.Fprintf(b, `"/>`+"\n")
}

func (l Line) dash() string {
	if l.Dashed {
		return ` stroke-dasharray="6 3"`
	}
	return ""
}

// legend names the line right of the plot.
func (l Line) legend(b *bytes.Buffer, x, y float64) {
	fmt.Fprintf(b, `<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="%s" stroke-width="2"%s/>`, x, y-4, x+18, y-4, l.Colour, l.dash())
	fmt.Fprintf(b, `<text x="%.0f" y="%.1f" font-size="11">%s</text>`+"\n", x+22, y, html.EscapeString(l.Name))
}

func (c *Chart) x(value float64) float64 {
	points := c.Lines[0].Points
	first, last := points[0].X, points[len(points)-1].X
	return left + plotWide*(value-first)/(last-first)
}

// Decades returns the powers of ten below and above all positive values, as the ends of an axis. They differ at least by a
// factor of ten.
func Decades(values ...float64) (low, high float64) {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 {
		return .1, 1
	}
	low = math.Pow(10, math.Floor(math.Log10(least)))
	return low, max(10*low, math.Pow(10, math.Ceil(math.Log10(most))))
}
