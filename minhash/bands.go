package minhash

// Candidate returns the probability that two texts of Jaccard similarity j
// share one of bands keys of rows slots each: 1 - (1 - j^rows)^bands.
func Candidate(j float64, bands, rows int) float64 {
	return 1 - power(1-power(j, rows), bands)
}

// power multiplies, so that it gives the same bits on every machine.
func power(x float64, n int) float64 {
	p := 1.0
	for range n {
		p = float64(p * x)
	}
	return p
}

// The approximate costs of bands, in nanoseconds per text: filling and hashing a slot; storing, sorting and looking up a
// key; fetching and comparing a candidate far below the threshold.
const (
	slotCost  = 1
	keyCost   = 16
	falseCost = 3000
)

// MaxSlots limits the sketch, and therefore recall at low thresholds.
const MaxSlots = 1024

// Bands returns the cheapest numbers of bands and rows that find a pair at the threshold with at least the given
// probability. The cost counts slots, keys, and false candidates at half the threshold:
//
//	bands*rows*slotCost + bands*keyCost + Candidate(threshold/2)*falseCost
//
// With the usual formula, (1/bands)^(1/rows) = threshold, only 60 % of the pairs at the threshold would share a bucket.
// Both results are 0 if no choice within MaxSlots reaches the recall. They are the same on every machine.
func Bands(threshold, recall float64) (bands, rows int) {
	least := 0.0
	for r := 1; r <= MaxSlots; r++ {
		b := bandsFor(power(threshold, r), recall, MaxSlots/r)
		if b == 0 {
			break // more rows need even more bands
		}
		work := float64(b*r*slotCost+b*keyCost) + float64(falseCost*Candidate(threshold/2, b, r))
		if bands == 0 || work < least {
			bands, rows, least = b, r, work
		}
	}
	return bands, rows
}

// bandsFor returns the least number of bands for the recall if each band matches with probability p. It returns 0 if that
// is more than most.
func bandsFor(p, recall float64, most int) int {
	miss := 1.0
	for b := 1; b <= most; b++ {
		miss = float64(miss * (1 - p))
		if 1-miss >= recall {
			return b
		}
	}
	return 0
}
