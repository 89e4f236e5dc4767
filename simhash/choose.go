package simhash

import "fmt"

// Costs of one step of the index in nanoseconds, measured on one core of a
// server of 2024 (docs/benchmarks.md); only their ratios matter.
const (
	probeCost     = 30.0  // a random line of memory
	candidateCost = 0.8   // one comparison in a line at hand
	insertCost    = 150.0 // one table: a line, its share of growth
	spillCost     = 40.0  // a line that is known only when the one before it is read
)

// bytesOf is the memory of n entries in a layout, about: a line of 64 bytes
// for every 2 entries, spilled lines, ids.
func (l *Layout) bytesOf(n int) int64 {
	return int64(n) * int64(12+36*len(l.tables))
}

// cost is that of one query and one insert at n entries.
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

// chooseLayout returns the cheapest layout that fits.
func chooseLayout(o IndexOptions) (Layout, error) {
	if o.K < 0 || o.K > MaxK {
		return Layout{}, fmt.Errorf("%w: %d, want 0..%d", ErrDistance, o.K, MaxK)
	}
	n := o.Expect
	if n <= 0 {
		n = 1_000_000
	}
	var best Layout
	least := int64(-1)
	for _, l := range layouts(o.K) {
		need := l.bytesOf(n)
		if least < 0 || need < least {
			least = need
		}
		if o.Memory > 0 && need > o.Memory {
			continue
		}
		if best.name == "" || l.cost(n) < best.cost(n) {
			best = l
		}
	}
	if best.name == "" {
		return Layout{}, fmt.Errorf("%d entries need %d bytes, more than the %d allowed", n, least, o.Memory)
	}
	return best, nil
}
