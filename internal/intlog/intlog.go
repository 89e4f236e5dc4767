// Package intlog computes natural logarithms of whole numbers in integer arithmetic, so that weights and
// costs are the same on every processor. math.Log has assembly versions that differ in the last bit.
package intlog

import "math/bits"

// Bits is the number of binary places of [Ln].
const Bits = 48

// ln2 is the natural logarithm of 2 in units of 2^-64.
const ln2 = 0xB17217F7D1CF79AC

// Ln returns the natural logarithm of n in units of 2^-Bits, rounded down, with an error below two units. Ln(0)
// and Ln(1) are 0. It takes about 100 ns.
//
// It computes the binary logarithm bit by bit. Squaring a mantissa in [1,2) doubles its logarithm, and the next bit is set
// if the square reaches 2 (Knuth, TAOCP 1.2.2, exercise 25).
func Ln(n uint64) int64 {
	if n <= 1 {
		return 0
	}
	whole := bits.Len64(n) - 1
	mantissa := n << (63 - whole) // in [1,2), in units of 2^-63
	log2 := uint64(whole)
	for range Bits + 2 {
		hi, lo := bits.Mul64(mantissa, mantissa) // in [1,4), in units of 2^-126
		log2 <<= 1
		if hi>>63 == 1 {
			log2 |= 1
			mantissa = hi
		} else {
			mantissa = hi<<1 | lo>>63
		}
	}
	hi, _ := bits.Mul64(log2, ln2)
	return int64(hi >> 2)
}
