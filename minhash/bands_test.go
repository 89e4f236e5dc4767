package minhash

import "testing"

// Bands is part of the definition of the keys: a change here is a new Version.
func TestBands(t *testing.T) {
	for _, c := range []struct {
		threshold, recall float64
		bands, rows       int
	}{
		{0.5, 0.99, 35, 3},
		{0.6, 0.99, 34, 4},
		{0.7, 0.99, 26, 5},
		{0.8, 0.99, 16, 6},
		{0.9, 0.99, 9, 8},
		{0.95, 0.99, 5, 9},
		{1, 0.99, 1, 11},
		{0.8, 0.95, 10, 6},
		{0.8, 0.999, 23, 6},
		{0.01, 0.99, 459, 1},
		{0.001, 0.99, 0, 0}, // out of reach
	} {
		bands, rows := Bands(c.threshold, c.recall)
		if bands != c.bands || rows != c.rows {
			t.Errorf("Bands(%v, %v) = %d, %d, want %d, %d", c.threshold, c.recall, bands, rows, c.bands, c.rows)
		}
		if got := Candidate(c.threshold, bands, rows); bands > 0 && got < c.recall {
			t.Errorf("Bands(%v, %v) finds %v", c.threshold, c.recall, got)
		}
	}
}
