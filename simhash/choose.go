package simhash

import (
	"fmt"
	"math"
)

// Costs of one step of the index in nanoseconds, measured on one core of a
// server of 2024 (docs/benchmarks.md); only their ratios matter.
const (
	probeCost     = 30.0  // a random line of memory
	candidateCost = 0.8   // one comparison in a loaded line
	insertCost    = 150.0 // one table: a line, its share of growth
	spillCost     = 40.0  // a line that is known only when the one before it is read
)

// cost returns the cost of one query and one insert at n entries.
func (l *Layout) cost(n int) float64 {
	total := 0.0
	for i := range l.tables {
		t := &l.tables[i]
		bucket := float64(fill) + float64(n)/float64(uint64(1)<<min(t.bits, 62))
		total += insertCost + float64(len(t.flips))*(probeCost+candidateCost*bucket)
		if deep := bucket/lineCells - 1; deep > 0 {
			total += spillCost + float64(len(t.flips))*spillCost*deep // the insert looks at one more line
		}
	}
	return total
}

// cheapest returns the layout for distance k that costs the least.
func cheapest(k int, cost func(*Layout) float64) (best Layout, err error) {
	if k < 0 || k > MaxK {
		return best, fmt.Errorf("%w: %d, want 0..%d", ErrDistance, k, MaxK)
	}
	least := math.Inf(1)
	for _, l := range layouts(k) {
		if c := cost(&l); c < least {
			best, least = l, c
		}
	}
	return best, nil
}
