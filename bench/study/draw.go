package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/internal/plot"
)

// drawn lists the kinds in the drawings. The tables also have the others.
var drawn = []struct{ name, colour string }{
	{"auto:1", "#1f5fa8"}, {"auto:1 once", "#6aa5de"}, {"auto:2", "#2a8a4a"}, {"auto:2 once", "#8cc79b"},
	{"auto:3", "#b4521a"}, {"levels", "#7a4fa3"}, {"keywords", "#c8a018"}, {"runes:4", "#777777"},
}

// fewest is the least number of pairs for a curve of recall.
const fewest = 20

// draw writes three drawings: recall, work and edits by k.
func draw(pairs, edits table, out string) error {
	var recall, work, edited []plot.Chart
	for _, s := range sources() {
		work = append(work, chart(pairs, s, "others a million", plot.Axis{Label: "other pairs within k bits, of a million", Min: .1, Max: 1e6}))
		if r, ok := pairs.find(s.name, "all", drawn[0].name, "recall J>=.8"); !ok || r.n < fewest {
			continue
		}
		recall = append(recall, chart(pairs, s, "recall J>=.8", plot.Axis{Label: "share of pairs with J >= .8 within k bits", Max: 1}))
	}
	for _, s := range []string{"ota_terms_versions", "zh_lctt_proofread"} {
		for _, percent := range []int{1, 2, 5, 10} {
			for _, o := range sources() {
				if o.name == s {
					edited = append(edited, chart(edits, o, fmt.Sprintf("edits %d %%", percent),
						plot.Axis{Label: fmt.Sprintf("share within k bits after %d %% of edits", percent), Max: 1}))
				}
			}
		}
	}
	for _, d := range []struct {
		name, title string
		charts      []plot.Chart
	}{
		{"simhash-recall.svg", "Recall of SimHash by k and features", recall},
		{"simhash-work.svg", "Pairs within k bits that are not similar", work},
		{"simhash-edits.svg", "SimHash after random edits", edited},
	} {
		if err := save(filepath.Join(out, d.name), d.title, d.charts); err != nil {
			return err
		}
	}
	return nil
}

func save(path, title string, charts []plot.Chart) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := plot.Write(file, title, 2, charts...); err != nil {
		_ = file.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	return file.Close()
}

func chart(t table, s source, measure string, axis plot.Axis) plot.Chart {
	axis.Format = "%.7g"
	c := plot.Chart{
		Title: s.name, X: "k, bits", Format: "%.0f", Marks: []plot.Mark{{X: 3, Label: "k = 3"}}, Left: axis,
	}
	for _, d := range drawn {
		r, ok := t.find(s.name, "all", d.name, measure)
		if !ok {
			continue
		}
		l := plot.Line{Name: d.name, Colour: d.colour}
		for k, v := range r.value {
			l.Points = append(l.Points, plot.Point{X: float64(k), Y: v})
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}
