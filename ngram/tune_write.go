package ngram

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// WriteText prints the proposal and both curves as tables.
func (r Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d similar pairs, %d negatives, %d texts; wanted share %.3g\n\n", r.Pairs, r.Negatives, r.Texts, r.Recall)
	fmt.Fprintf(&b, "proposed m          %d\nproposed threshold  %.2f (%s similarity)\n", r.M, r.Threshold, r.Similarity)
	if r.M == 0 {
		fmt.Fprintf(&b, "no m finds the wanted share: keep the exact keys\n")
	}
	if r.Threshold == 0 {
		fmt.Fprintf(&b, "no threshold from 0.50 finds the wanted share\n")
	}
	fmt.Fprintf(&b, "\n m   found   share   work\n")
	for _, p := range r.ByM {
		fmt.Fprintf(&b, "%2d  %6d  %6.4f  %9.2f\n", p.M, p.Found, p.Share, p.Work)
	}
	fmt.Fprintf(&b, "\nthreshold   found   share   wrong   work\n")
	for _, p := range r.ByThreshold {
		fmt.Fprintf(&b, "%9.2f  %6d  %6.4f  %6d  %9.2f\n", p.Threshold, p.Found, p.Share, p.Wrong, p.Work)
	}
	fmt.Fprintf(&b, "\nwork: other texts of the sample that a text meets in its buckets\n")
	_, err := b.WriteTo(w)
	return err
}

// WriteSVG draws both curves, side by side: pairs found on the left axis, work
// on the right one, by m and by threshold. A drawing of about 4 KB.
func (r Report) WriteSVG(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="360" viewBox="0 0 960 360" font-family="sans-serif" font-size="12">`+"\n")
	fmt.Fprintf(&b, `<title>Pairs found and work done, by m and by threshold</title><rect width="960" height="360" fill="white"/>`+"\n")
	left := chart{left: 60, title: "by length of the common substring", axis: "m (letters and digits)", format: "%.0f", chosen: float64(r.M)}
	for _, p := range r.ByM {
		left.points = append(left.points, point{float64(p.M), p.Share, p.Work})
	}
	right := chart{left: 550, title: "by threshold of " + r.Similarity + " similarity", axis: "threshold", format: "%.2f", chosen: r.Threshold}
	for _, p := range r.ByThreshold {
		right.points = append(right.points, point{p.Threshold, p.Share, p.Work})
	}
	left.draw(&b)
	right.draw(&b)
	fmt.Fprintf(&b, "</svg>\n")
	_, err := b.WriteTo(w)
	return err
}

type point struct{ x, share, work float64 }

// chart is one of the two drawings: 340 wide, 240 high.
type chart struct {
	left   float64
	title  string
	axis   string
	format string // of a value on the x axis
	chosen float64
	points []point
}

const (
	chartTop, chartHeight, chartWidth = 50.0, 240.0, 340.0
	foundColour, workColour           = "#1f5fa8", "#b4521a"
)

func (c *chart) draw(b *bytes.Buffer) {
	most := 1.0
	for _, p := range c.points {
		most = max(most, p.work)
	}
	most = niceCeiling(most)
	c.frame(b, most)
	c.line(b, foundColour, "", func(p point) float64 { return p.share })
	c.line(b, workColour, ` stroke-dasharray="6 3"`, func(p point) float64 { return p.work / most })
	if c.chosen > 0 {
		x := c.x(c.chosen)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.0f" x2="%.1f" y2="%.0f" stroke="#444" stroke-dasharray="2 3"/>`+"\n", x, chartTop, x, chartTop+chartHeight)
	}
}

func (c *chart) frame(b *bytes.Buffer, most float64) {
	bottom := chartTop + chartHeight
	fmt.Fprintf(b, `<text x="%.0f" y="24" font-size="14">Pairs found and work, %s</text>`+"\n", c.left, c.title)
	fmt.Fprintf(b, `<text x="%.0f" y="42" fill="%s">share found</text><text x="%.0f" y="42" fill="%s" text-anchor="end">work (dashed)</text>`+"\n",
		c.left, foundColour, c.left+chartWidth, workColour)
	for i := range 5 {
		y := bottom - chartHeight*float64(i)/4
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="#ddd"/>`, c.left, y, c.left+chartWidth, y)
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" fill="%s" text-anchor="end">%.2f</text>`, c.left-6, y+4, foundColour, float64(i)/4)
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" fill="%s">%.4g</text>`+"\n", c.left+chartWidth+6, y+4, workColour, most*float64(i)/4)
	}
	for i, p := range c.points {
		if i%2 == 0 {
			fmt.Fprintf(b, `<text x="%.1f" y="%.0f" text-anchor="middle">`+c.format+"</text>\n", c.x(p.x), bottom+18, p.x)
		}
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", c.left+chartWidth/2, bottom+40, c.axis)
}

func (c *chart) line(b *bytes.Buffer, colour, style string, value func(point) float64) {
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2"%s points="`, colour, style)
	for _, p := range c.points {
		fmt.Fprintf(b, "%.1f,%.1f ", c.x(p.x), chartTop+chartHeight*(1-value(p)))
	}
	fmt.Fprintf(b, `"/>`+"\n")
}

func (c *chart) x(value float64) float64 {
	first, last := c.points[0].x, c.points[len(c.points)-1].x
	return c.left + chartWidth*(value-first)/(last-first)
}

// niceCeiling rounds up to 1, 2 or 5 times a power of ten.
func niceCeiling(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 2, 5} {
		if v <= step*power {
			return step * power
		}
	}
	return 10 * power
}
