// Package plot draws small line charts side by side as SVG: for reports, with
// no script, no font and no style of the reader's own.
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

// Axis is a vertical scale from 0 to Max.
type Axis struct {
	Label  string
	Format string // of a value, for example "%.2f"
	Colour string // "" is grey
	Max    float64
}

// Line is one curve. Lines whose Right is set use the right axis.
type Line struct {
	Name   string // in the legend; "" is not named
	Colour string
	Dashed bool
	Right  bool
	Points []Point
}

// Chart is one drawing: all lines share the x values of the first, which are
// rising and at least two.
type Chart struct {
	Title  string
	X      string // what the x axis is
	Format string // of a value on it
	Left   Axis
	Right  *Axis // nil: none
	Marks  []float64
	Lines  []Line
}

// The size of a chart and of the plot in it.
const (
	width, height    = 490.0, 360.0
	left, top        = 60.0, 50.0
	plotWide, plotUp = 340.0, 240.0
	legendStep       = 14.0
)

// Write draws charts in rows of so many columns, with a title for readers
// that cannot see. About 2 KB a chart.
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
	fmt.Fprintf(b, `<text x="%.0f" y="24" font-size="14">%s</text>`+"\n", left, html.EscapeString(c.Title))
	c.Left.draw(b, left-6, "end", left, "start")
	if c.Right != nil {
		c.Right.draw(b, left+plotWide+6, "start", left+plotWide, "end")
	}
	c.drawX(b)
	for _, x := range c.Marks {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.0f" x2="%.1f" y2="%.0f" stroke="#444" stroke-dasharray="2 3"/>`+"\n", c.x(x), top, c.x(x), top+plotUp)
	}
	named := 0
	for _, l := range c.Lines {
		c.line(b, l)
		if l.Name != "" {
			l.legend(b, named)
			named++
		}
	}
}

// draw writes the values of an axis at x and its label above.
func (a *Axis) draw(b *bytes.Buffer, x float64, anchor string, labelX float64, labelAnchor string) {
	colour := a.Colour
	if colour == "" {
		colour = "#555"
	}
	fmt.Fprintf(b, `<text x="%.0f" y="42" fill="%s" text-anchor="%s">%s</text>`+"\n", labelX, colour, labelAnchor, html.EscapeString(a.Label))
	for i := range 5 {
		y := top + plotUp*(1-float64(i)/4)
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="#ddd"/>`, left, y, left+plotWide, y)
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" fill="%s" text-anchor="%s">`+a.Format+"</text>\n", x, y+4, colour, anchor, a.Max*float64(i)/4)
	}
}

// drawX writes every second x value and what they are.
func (c *Chart) drawX(b *bytes.Buffer) {
	for i, p := range c.Lines[0].Points {
		if i%2 == 0 {
			fmt.Fprintf(b, `<text x="%.1f" y="%.0f" text-anchor="middle">`+c.Format+"</text>\n", c.x(p.X), top+plotUp+18, p.X)
		}
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", left+plotWide/2, top+plotUp+40, html.EscapeString(c.X))
}

func (c *Chart) line(b *bytes.Buffer, l Line) {
	most := c.Left.Max
	if l.Right && c.Right != nil {
		most = c.Right.Max
	}
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2"%s points="`, l.Colour, l.dash())
	for _, p := range l.Points {
		fmt.Fprintf(b, "%.1f,%.1f ", c.x(p.X), top+plotUp*(1-min(p.Y/most, 1)))
	}
	fmt.Fprintf(b, `"/>`+"\n")
}

func (l Line) dash() string {
	if l.Dashed {
		return ` stroke-dasharray="6 3"`
	}
	return ""
}

// legend names the line in the lower right of the plot, or right of it.
func (l Line) legend(b *bytes.Buffer, n int) {
	x, y := left+plotWide+8, top+8+legendStep*float64(n)
	fmt.Fprintf(b, `<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="%s" stroke-width="2"%s/>`, x, y-4, x+14, y-4, l.Colour, l.dash())
	fmt.Fprintf(b, `<text x="%.0f" y="%.1f" font-size="11">%s</text>`+"\n", x+18, y, html.EscapeString(l.Name))
}

func (c *Chart) x(value float64) float64 {
	points := c.Lines[0].Points
	first, last := points[0].X, points[len(points)-1].X
	return left + plotWide*(value-first)/(last-first)
}

// NiceCeiling rounds a positive number up to 1, 2 or 5 times a power of ten:
// a good end for an axis.
func NiceCeiling(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 2, 5} {
		if v <= step*power {
			return step * power
		}
	}
	return 10 * power
}
