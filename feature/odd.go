package feature

import "math/bits"

// OddSketch is a bit string that gives a lower bound for the difference of two sets. Bit b is set if an odd number of
// hashes end in b. Common hashes cancel out, so each differing bit comes from a hash that only one set has. Therefore there
// are at least as many such hashes as differing bits. (Mitzenmacher, Pagh and Pham 2014, Efficient Estimation for High
// Similarities using Odd Sketches. They estimate the difference; here it is bounded.) The sketch takes a 32nd to a 16th of
// the memory of the set. Comparing two sketches takes at most a tenth of the time of a merge.
//
// The length in words is a power of two.
type OddSketch []uint64

// OddSketchWords returns the length of the odd sketch of a set of n hashes: 2 to 4 bits a hash, so that few of
// the differing hashes of similar sets cancel out.
func OddSketchWords(n int) int {
	if n <= 32 {
		return 1
	}
	return 1 << (bits.Len(uint(n-1)) - 5)
}

// Fill sets o, which must be zero, to the odd sketch of a set. If hashes are repeated, the bound counts repetitions that
// only one side has.
func (o OddSketch) Fill(set []uint64) {
	mask := uint64(len(o) - 1)
	for _, h := range set {
		o[h>>6&mask] ^= 1 << (h & 63)
	}
}

// AtLeast returns a lower bound of the number of hashes that only one of two sets has. A longer string is
// folded to the length of the other. O(words).
func (o OddSketch) AtLeast(p OddSketch) int {
	if len(o) > len(p) {
		o, p = p, o
	}
	if len(o) == 0 {
		return 0
	}
	if len(o) == len(p) {
		return o.apart(p)
	}
	n := 0
	for i, x := range o {
		for ; i < len(p); i += len(o) {
			x ^= p[i]
		}
		n += bits.OnesCount64(x)
	}
	return n
}

// apart counts the bits in which two strings of one length differ.
func (o OddSketch) apart(p OddSketch) int {
	p = p[:len(o)]
	n := 0
	for i, x := range o {
		n += bits.OnesCount64(x ^ p[i])
	}
	return n
}
