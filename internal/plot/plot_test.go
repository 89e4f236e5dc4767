package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/plot"
)

func TestWriteIsWellFormed(t *testing.T) {
	line := plot.Line{Name: "a < b", Colour: "#1f5fa8", Points: []plot.Point{{X: 0, Y: 0}, {X: 1, Y: .5}, {X: 2, Y: 9}}}
	right := line
	right.Right, right.Dashed = true, true
	chart := plot.Chart{
		Title: "x & y", X: "k", Format: "%.0f", Marks: []plot.Mark{{X: 1, Label: "k < 2"}},
		Left: plot.Axis{Label: "share", Format: "%.2f", Max: 1}, Right: &plot.Axis{Label: "work", Format: "%.7g", Min: .1, Max: 10},
		Lines: []plot.Line{line, right},
	}
	var b bytes.Buffer
	if err := plot.Write(&b, "two", 2, chart, chart, chart); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.StartElement); ok && s.Name.Local == "polyline" {
			for _, a := range s.Attr {
				if a.Name.Local == "points" && strings.Contains(a.Value, "-") {
					t.Errorf("a line leaves the plot: %s", a.Value)
				}
			}
		}
	}
}

// The y values of two equal lines, one on a linear axis, one on powers of ten.
func TestAxesPlaceValues(t *testing.T) {
	points := []plot.Point{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 10}, {X: 3, Y: 100}, {X: 4, Y: 1000}}
	chart := plot.Chart{
		Format: "%.0f", Left: plot.Axis{Format: "%.0f", Max: 100}, Right: &plot.Axis{Format: "%.0f", Min: 1, Max: 100},
		Lines: []plot.Line{{Points: points}, {Points: points, Right: true}},
	}
	var b bytes.Buffer
	if err := plot.Write(&b, "axes", 1, chart); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`points="70.0,300.0 155.0,297.6 240.0,276.0 325.0,60.0 410.0,60.0 "`,
		`points="70.0,300.0 155.0,300.0 240.0,180.0 325.0,60.0 410.0,60.0 "`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line with %s in\n%s", want, b.String())
		}
	}
}

func TestDecades(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{[]float64{3, 700}, 1, 1000},
		{[]float64{0, .02, 15}, .01, 100},
		{[]float64{1, 100}, 1, 100},
		{[]float64{5}, 1, 10},
		{[]float64{10}, 10, 100},
		{[]float64{0}, .1, 1},
		{nil, .1, 1},
	} {
		if low, high := plot.Decades(c.values...); low != c.low || high != c.high {
			t.Errorf("%v: %v to %v, want %v to %v", c.values, low, high, c.low, c.high)
		}
	}
}
