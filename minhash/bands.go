package minhash

// Candidate returns the probability that two texts of Jaccard similarity j
// share one of bands keys of rows slots each: 1 - (1 - j^rows)^bands.
func Candidate(j float64, bands, rows int) float64 {
	return 1 - power(1-power(j, rows), bands)
}

// power multiplies, so that every machine gets the same bits.
func power(x float64, n int) float64 {
	p := 1.0
	for range n {
		p = float64(p * x)
	}
	return p
}

// The approximate cost of a choice of bands, in nanoseconds a text. A slot is filled and hashed. A key is
// stored, sorted and looked up. A candidate far below the threshold is fetched and compared.
const (
	slotCost  = 1
	keyCost   = 16
	falseCost = 3000
)

// MaxSlots bounds the sketch, and with it recall at low thresholds.
const MaxSlots = 1024

// Bands chooses the bands and rows that find a pair at the threshold itself
// with at least the given probability for the least work. Work counts slots,
// keys and the false candidates at half the threshold:
//
//	bands*rows*slotCost + bands*keyCost + Candidate(threshold/2)*falseCost
//
// The usual formula, (1/bands)^(1/rows) = threshold, puts only 60 % of the
// pairs at the threshold into a bucket. Both results are 0 if no choice within
// MaxSlots reaches the recall. Deterministic on every machine.
func Bands(threshold, recall float64) (bands, rows int) {
	least := 0.0
	for r := 1; r <= MaxSlots; r++ {
		b := bandsFor(power(threshold, r), recall, MaxSlots/r)
		if b == 0 {
			break // more rows need more bands still
		}
		work := float64(b*r*slotCost+b*keyCost) + float64(falseCost*Candidate(threshold/2, b, r))
		if bands == 0 || work < least {
			bands, rows, least = b, r, work
		}
	}
	return bands, rows
}

// bandsFor returns the fewest bands of which at least one is hit with probability recall, if each is hit with
// probability p. It returns 0 if that takes more than most bands.
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
