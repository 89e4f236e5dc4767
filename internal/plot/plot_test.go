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
		Title: "x & y", X: "k", Format: "%.0f", Marks: []float64{1},
		Left: plot.Axis{Label: "share", Format: "%.2f", Max: 1}, Right: &plot.Axis{Label: "work", Format: "%.0f", Max: 10},
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

func TestNiceCeiling(t *testing.T) {
	for v, want := range map[float64]float64{1: 1, 1.5: 2, 3: 5, 7: 10, 120: 200} {
		if got := plot.NiceCeiling(v); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}
