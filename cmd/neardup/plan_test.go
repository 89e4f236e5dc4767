//go:build full

package main

import (
	"math"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
)

// A power law continues with its power, between that of documents and that of pairs. Falling growth keeps
// falling if the quarters agree.
func TestGrown(t *testing.T) {
	runs := func(values ...float64) (out []planRun) {
		for _, v := range values {
			out = append(out, planRun{removed: v})
		}
		return out
	}
	removed := func(r planRun) float64 { return r.removed }
	for name, c := range map[string]struct {
		quarters, halves []float64
		all, want        float64
		within           bool // a figure that comes so is in the interval
		came             float64
	}{
		"a share":                {[]float64{25, 25, 25, 25}, []float64{50, 50}, 100, 400, true, 380},
		"pairs":                  {[]float64{100, 100, 100, 100}, []float64{400, 400}, 1600, 25600, true, 24500},
		"less than a share":      {[]float64{50, 50, 50, 50}, []float64{70, 70}, 90, 360, true, 300},
		"more than pairs":        {[]float64{1, 1, 1, 1}, []float64{8, 8}, 64, 1024, true, 900},
		"nothing":                {[]float64{0, 0, 0, 0}, []float64{0, 0}, 0, 0, true, 0},
		"seen in the whole only": {[]float64{0, 0, 0, 0}, []float64{0, 0}, 2, 32, true, 8},
		"falling":                {[]float64{1000, 1000, 1000, 1000}, []float64{3600, 3600}, 12000, 12000 * math.Pow(4, 1.57), true, 105000},
		"quarters unlike":        {[]float64{0, 200, 10, 190}, []float64{360, 360}, 1200, 1200 * math.Pow(4, 1.737), true, 5000},
		"far away":               {[]float64{25, 25, 25, 25}, []float64{50, 50}, 100, 400, false, 4000},
	} {
		t.Run(name, func(t *testing.T) {
			g := growth{quarters: runs(c.quarters...), halves: runs(c.halves...), all: planRun{documents: 1000, removed: c.all}}
			e := g.grown(removed, 4000)
			if math.Abs(e.Value-c.want) > .01*c.want || e.Low > e.Value || e.High < e.Value {
				t.Errorf("%+v, want %g", e, c.want)
			}
			if (e.Low <= c.came && c.came <= e.High) != c.within {
				t.Errorf("%+v holds %g: %t", e, c.came, !c.within)
			}
			if here := g.grown(removed, 1000); here.Value != c.all || here.Low != here.High {
				t.Errorf("the sample itself: %+v", here)
			}
		})
	}
}

// Whatever comes by, the sample is of the size that was asked for, of all alike; where none was, a small
// input is kept whole, and a large one by the usual number.
func TestReservoir(t *testing.T) {
	for _, c := range []struct{ asked, records, bytes, want int }{
		{100, 50, 10, 50}, {100, 100, 10, 100}, {100, 101, 10, 100}, {100, 5000, 10, 100},
		{0, 50_000, 10, 50_000}, {0, 20_000, 500, 20_000}, {0, 30_000, 500, usualSample},
	} {
		r := newReservoir(c.asked)
		raw := make([]byte, c.bytes)
		for i := range c.records {
			r.add(sampledRecord{int64(i), corpus.Item{Raw: raw}})
		}
		seen, late := map[int64]bool{}, 0
		for _, d := range r.drawn {
			seen[d.at] = true
			if d.at >= int64(c.records/2) {
				late++
			}
		}
		if len(seen) != c.want || len(r.drawn) != c.want || late < c.want*3/10 || late > c.want*7/10 {
			t.Errorf("%+v: %d kept, %d different, %d of the second half", c, len(r.drawn), len(seen), late)
		}
	}
}

// Forecasts are within a third of the measurements in docs/scale.md. Twice the documents double all costs but the fixed ones.
func TestOnSpark(t *testing.T) {
	of := func(documents, bytes int, cpu, compared float64) onSpark {
		s := &sampled{docs: []neardup.Document{{Text: strings.Repeat("x", bytes)}}}
		n := exactly(float64(documents))
		return s.onSpark(forecast{Keys: 16, Postings: n.scaled(16), Verified: exactly(compared), CPU: exactly(cpu)}, n, 4)
	}
	for name, c := range map[string]struct {
		documents, bytes                     int
		cpu, compared, sparkCPU, perDocument float64
	}{
		"300,000":   {300_000, 1319, 3.1, 37_372, 25.6, 681},
		"1,000,000": {1_000_000, 1311, 12.1, 129_119, 59.6, 679},
	} {
		t.Run(name, func(t *testing.T) {
			once, twice := of(c.documents, c.bytes, c.cpu, c.compared), of(2*c.documents, c.bytes, 2*c.cpu, 2*c.compared)
			for _, r := range []struct{ foretold, came float64 }{{once.SparkCPU.Value, c.sparkCPU}, {once.Shuffle.Value / float64(c.documents), c.perDocument}} {
				if ratio := r.foretold / r.came; ratio < .75 || ratio > 1.34 {
					t.Errorf("%.1f for %.1f", r.foretold, r.came)
				}
			}
			if a, b := 2*once.Shuffle.Value, twice.Shuffle.Value; math.Abs(a-b) > 1 {
				t.Errorf("shuffles %f and %f", a, b)
			}
			if a, b := 2*(once.SparkCPU.Value-sparkRun), twice.SparkCPU.Value-sparkRun; math.Abs(a-b) > 1e-6 {
				t.Errorf("takes %f and %f", a, b)
			}
			if d := once.SparkTime.Value - once.SparkCPU.Value/4; math.Abs(d-sparkRun) > 1e-6 {
				t.Errorf("time of a run: %f", d)
			}
		})
	}
}
