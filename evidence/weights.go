package evidence

import (
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/token"
)

// Weights holds the weight of one unit of each feature, in units of 1/weightUnit bits.
type Weights [features]int32

const weightUnit = 1 << 12

// Shipped holds the weights that were learned from judged and generated pairs, by `go run -C bench ./decision learn`.
var Shipped = MakeWeights([]float64{
	Bias: -.7577, Coverage: .6590, Number: -4.0236, Replacement: -.6884, Opposite: -5.4015, Insertion: -.0636, Length: .1638,
})

// MakeWeights makes a table of bits in the order of Features.
func MakeWeights(bits []float64) (w Weights) {
	for k := range w {
		w[k] = int32(math.Round(bits[k] * weightUnit))
	}
	return w
}

// Shifted returns the weights with bits added to the bias, which adds them to every score.
func (w Weights) Shifted(bits float64) Weights {
	w[Bias] += int32(math.Round(bits * weightUnit))
	return w
}

// Digest returns a hash that identifies the table in a Spec.
func (w Weights) Digest() string { return fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprint(w))) }

// worth returns the weight of a value of a feature, in units of 1/Unit bits times weightUnit.
func (w *Weights) worth(k Feature, value int32) int64 { return int64(value) * int64(w[k]) }

// Score is a sum of evidence, in units of 1/Unit bits. It is the binary logarithm of the odds that two texts mean the same.
type Score int32

// Score adds up the evidence.
func (w *Weights) Score(v Vector) Score {
	sum := int64(0)
	for k, value := range v {
		sum += w.worth(Feature(k), value)
	}
	return Score(min(max(sum/weightUnit, -mostScore), mostScore))
}

// mostScore limits the score to odds of a million to one.
const mostScore = 20 * token.Unit

// Bits returns the odds in bits.
func (s Score) Bits() float64 { return float64(s) / token.Unit }

// Probability returns the probability of the odds, from 0 to 1. It is a quotient of integers.
func (s Score) Probability() float64 {
	whole, part := int(s)>>8, int(s)&(token.Unit-1)
	odds, one := powers[part], uint64(1)<<31 // 2^(part/256), in units of 2^-31
	if whole >= 0 {
		odds <<= whole // at most 2^52
	} else {
		one <<= -whole
	}
	return float64(odds) / float64(odds+one)
}

// Probability returns the probability of odds given in bits.
func Probability(bits float64) float64 {
	return Score(math.Round(min(max(bits*token.Unit, -mostScore), mostScore))).Probability()
}

// powers holds 2^(i/256) in units of 2^-31. The rounding removes differences between machines in the last bits.
var powers = func() (t [token.Unit]uint64) {
	for i := range t {
		t[i] = uint64(math.Round(math.Exp2(float64(i)/token.Unit) * (1 << 31)))
	}
	return t
}()
