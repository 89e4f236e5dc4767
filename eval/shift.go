package eval

import "math"

const (
	shiftUnit   = 1.0 / 256 // the result is a multiple of this, in bits
	shiftSpread = 1.5       // standard deviation of the shift without labels, in bits
	mostShift   = 32.0
)

// Shift returns the number of bits to add to the log-odds of every pair of a collection, so that they agree best with the
// labels of some pairs. It maximises the posterior with a normal prior of 1.5 bits around 0. The result is a multiple of
// 1/256 bit, and 0 without labels.
func Shift(probabilities []float64, same []bool) (bits float64) {
	slope := func(bits float64) float64 { // derivative of the log posterior, which decreases
		s := -bits / (shiftSpread * shiftSpread * math.Ln2)
		for i, p := range probabilities {
			p = min(max(p, 1e-4), 1-1e-4)
			s -= p / (p + (1-p)*math.Exp2(-bits))
			if same[i] {
				s++
			}
		}
		return s
	}
	low, high := -mostShift, mostShift
	for high-low > shiftUnit/64 {
		if middle := (low + high) / 2; slope(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Round((low+high)/2/shiftUnit)*shiftUnit + 0 // + 0 turns -0 into 0
}
