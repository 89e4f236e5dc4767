// Command growth draws what bench/growth/run measured: the TSV on standard
// input as SVG on standard output.
package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/internal/plot"
)

func main() {
	if err := draw(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// columns lists the columns of the TSV, which are all numbers.
var columns = []string{"greeting", "texts", "cpu_s", "peak_mib", "us_per_text", "candidates_per_text", "verified_per_text", "removed"}

// draw reads rows ordered by greeting, then by texts, and writes two charts.
func draw(in io.Reader, out io.Writer) error {
	rows, err := read(in)
	if err != nil {
		return err
	}
	var kinds []float64
	for _, row := range rows {
		if !slices.Contains(kinds, row[0]) {
			kinds = append(kinds, row[0])
		}
	}
	cost := plot.Chart{
		Title: "Cost of a text", X: "texts, powers of ten", Format: "%.1f",
		Left: plot.Axis{Label: "CPU us a text", Format: "%.0f"},
	}
	met := plot.Chart{
		Title: "Others that share a key", X: "texts, powers of ten", Format: "%.1f",
		Left: plot.Axis{Label: "candidates a text", Format: "%g"},
	}
	var costs, candidates []float64
	for i, kind := range kinds {
		line := plot.Line{Name: "different", Colour: []string{"#06c", "#c40", "#080"}[i%3]}
		if kind > 0 {
			line.Name = fmt.Sprintf("greeting %.0f B", kind)
		}
		others := line
		for _, row := range rows {
			if row[0] == kind {
				x := math.Log10(row[1])
				line.Points = append(line.Points, plot.Point{X: x, Y: row[4]})
				others.Points = append(others.Points, plot.Point{X: x, Y: row[5]})
				costs, candidates = append(costs, row[4]), append(candidates, row[5])
			}
		}
		cost.Lines, met.Lines = append(cost.Lines, line), append(met.Lines, others)
	}
	cost.Left.Max = 10 * math.Ceil(slices.Max(costs)/10)
	met.Left.Min, met.Left.Max = plot.Decades(candidates...)
	return plot.Write(out, "Cost of ngram against the number of texts", 2, cost, met)
}

func read(in io.Reader) (rows [][]float64, err error) {
	scan := bufio.NewScanner(in)
	for line := 1; scan.Scan(); line++ {
		fields := strings.Split(scan.Text(), "\t")
		if line == 1 {
			// Older files end with the column of candidates.
			if !slices.Equal(fields, columns) && !slices.Equal(fields, columns[:6]) {
				return nil, fmt.Errorf("line 1: columns are %q, not %q", fields, columns)
			}
			continue
		}
		var row []float64
		for _, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			row = append(row, v)
		}
		if len(row) != len(columns) && len(row) != 6 {
			return nil, fmt.Errorf("line %d: %d columns, not %d", line, len(row), len(columns))
		}
		rows = append(rows, row)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%d rows make no curve", len(rows))
	}
	return rows, nil
}
