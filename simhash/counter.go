package simhash

import "math/bits"

// Tie selects the value of a bit if the weights on both sides are equal.
type Tie uint8

const (
	TieZero Tie = iota // a tie gives 0, so a bit is 1 if its sum is > 0
	TieOne             // a tie gives 1, so a bit is 1 if its sum is >= 0
)

// Weighted is a hashed feature with an integer weight. A negative weight counts against the bits of the feature.
type Weighted struct {
	Hash   uint64
	Weight int64
}

// planes is enough for 2^32 features of weight 2^63.
const planes = 96

// Counter adds up, for each of the 64 bit positions, the weights of the hashes with a 1 there. The counters are bit-sliced:
// plane p holds bit p of all 64 counters in one word. Features enter through carry-save adders, 64 or 16 at a time (the
// Harley-Seal tree: Muła, Kurz, Lemire, "Faster Population Counts Using AVX2 Instructions", 2018). A text of n features
// uses about log2(n) planes, so short texts are cheap. The zero value is empty.
type Counter struct {
	plane  [planes]uint64
	used   int    // the planes from this one up are zero
	lo, hi uint64 // total weight, in 128 bits
}

// Reset empties the counter.
func (c *Counter) Reset() {
	clear(c.plane[:c.used])
	c.used, c.lo, c.hi = 0, 0, 0
}

// Add counts hashes of weight 1. It takes about 0.4 ns per hash in long runs.
func (c *Counter) Add(hashes []uint64) { c.addAt(hashes, 0) }

// AddWeighted counts features with their weights, in one pass for each bit of the largest weight. For example, weight 5
// counts once in plane 0 and once in plane 2. A negative weight counts as the positive one for the complement of the hash.
func (c *Counter) AddWeighted(features []Weighted) {
	var all uint64
	for _, f := range features {
		all |= magnitude(f.Weight)
	}
	var block [64]uint64
	for ; all != 0; all &= all - 1 {
		p, n := bits.TrailingZeros64(all), 0
		for _, f := range features {
			if magnitude(f.Weight)>>p&1 == 0 {
				continue
			}
			block[n] = f.Hash ^ uint64(f.Weight>>63)
			n++
			if n == len(block) {
				c.addAt(block[:], p)
				n = 0
			}
		}
		c.addAt(block[:n], p)
	}
}

// magnitude returns |w|, which is also right for the smallest int64.
func magnitude(w int64) uint64 {
	s := uint64(w >> 63)
	return (uint64(w) ^ s) - s
}

// addAt counts hashes of weight 2^p.
func (c *Counter) addAt(hashes []uint64, p int) {
	c.total(uint64(len(hashes)), p)
	hashes = c.sixteens(c.sixties(hashes, p), p)
	for len(hashes) >= 3 {
		c.three(hashes[0], hashes[1], hashes[2], p)
		hashes = hashes[3:]
	}
	for _, h := range hashes {
		c.ripple(h, p)
	}
}

// total adds n * 2^p to the total weight, and extends the planes for it.
func (c *Counter) total(n uint64, p int) {
	high, low := bits.Mul64(n, 1<<p)
	var carry uint64
	c.lo, carry = bits.Add64(c.lo, low, 0)
	c.hi, _ = bits.Add64(c.hi, high, carry)
	if c.hi != 0 {
		c.used = 64 + bits.Len64(c.hi)
	} else {
		c.used = bits.Len64(c.lo)
	}
}

// sixties counts blocks of 64 hashes and returns the rest. Carries go through a loop that is hard to predict, so they
// should be rare.
func (c *Counter) sixties(h []uint64, p int) []uint64 {
	low := (*[6]uint64)(c.plane[p:])
	for len(h) >= 64 {
		a, b := sixteen(low, (*[16]uint64)(h)), sixteen(low, (*[16]uint64)(h[16:]))
		sum, x := add3(low[4], a, b)
		a, b = sixteen(low, (*[16]uint64)(h[32:])), sixteen(low, (*[16]uint64)(h[48:]))
		sum, y := add3(sum, a, b)
		low[4] = sum
		sum, x = add3(low[5], x, y)
		low[5] = sum
		c.ripple(x, p+6)
		h = h[64:]
	}
	return h
}

// sixteens counts blocks of 16 hashes and returns the rest.
func (c *Counter) sixteens(h []uint64, p int) []uint64 {
	low := (*[6]uint64)(c.plane[p:])
	for len(h) >= 16 {
		c.ripple(sixteen(low, (*[16]uint64)(h)), p+4)
		h = h[16:]
	}
	return h
}

// sixteen adds 16 hashes to four planes and returns the carries.
func sixteen(low *[6]uint64, b *[16]uint64) uint64 {
	ones, twos, fours := low[0], low[1], low[2]
	ones, a2 := add3(ones, b[0], b[1])
	ones, b2 := add3(ones, b[2], b[3])
	twos, a4 := add3(twos, a2, b2)
	ones, a2 = add3(ones, b[4], b[5])
	ones, b2 = add3(ones, b[6], b[7])
	twos, b4 := add3(twos, a2, b2)
	fours, a8 := add3(fours, a4, b4)
	ones, a2 = add3(ones, b[8], b[9])
	ones, b2 = add3(ones, b[10], b[11])
	twos, a4 = add3(twos, a2, b2)
	ones, a2 = add3(ones, b[12], b[13])
	ones, b2 = add3(ones, b[14], b[15])
	twos, b4 = add3(twos, a2, b2)
	fours, b8 := add3(fours, a4, b4)
	eights, c16 := add3(low[3], a8, b8)
	low[0], low[1], low[2], low[3] = ones, twos, fours, eights
	return c16
}

// add3 adds three numbers in 64 lanes (a full adder). It returns sum and carry.
func add3(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// three counts three hashes of weight 2^p.
func (c *Counter) three(x, y, z uint64, p int) {
	sum, carry := add3(x, y, z)
	t := c.plane[p] & sum
	c.plane[p] ^= sum
	sum, carry = add3(c.plane[p+1], carry, t)
	c.plane[p+1] = sum
	c.ripple(carry, p+2)
}

// ripple adds one word of weight 2^p.
func (c *Counter) ripple(h uint64, p int) {
	for ; h != 0 && p < planes; p++ {
		c.plane[p], h = c.plane[p]^h, c.plane[p]&h
	}
}

// Fingerprint returns the majority of every bit. In an empty counter all bits are ties. It does not change the counter, so
// further features can be added.
//
// It compares all 64 counters with half of the total at once, from the top plane down. The first plane in which a counter
// differs decides its bit.
func (c *Counter) Fingerprint(tie Tie) uint64 {
	lo, hi := c.lo>>1|c.hi<<63, c.hi>>1
	odd := c.lo&1 != 0
	var above uint64
	equal := ^uint64(0)
	for p := c.used - 1; p >= 0; p-- {
		half := -(lo >> p & 1) // a shift of 64 or more gives 0
		if p >= 64 {
			half = -(hi >> (p - 64) & 1)
		}
		above |= equal & c.plane[p] &^ half
		equal &^= c.plane[p] ^ half
	}
	if tie == TieOne && !odd {
		return above | equal
	}
	return above
}

// Of returns the fingerprint of hashes of weight 1. A tie gives 0, and so do no hashes. O(len(hashes)), without allocation.
func Of(hashes []uint64) uint64 {
	var c Counter
	c.Add(hashes)
	return c.Fingerprint(TieZero)
}

// OfWeighted returns the fingerprint of weighted features. A bit is 1 if the sum over the features is above
// zero, where a hash with a 1 adds its weight and one with a 0 subtracts it. The order of the features does not
// matter.
func OfWeighted(features []Weighted) uint64 {
	var c Counter
	c.AddWeighted(features)
	return c.Fingerprint(TieZero)
}

// Distance returns the number of bits in which two fingerprints differ, 0..64.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }
