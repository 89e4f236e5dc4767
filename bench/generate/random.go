package generate

import "math"

// Streams separate the random numbers for different purposes.
const (
	vocabularyStream uint64 = iota << 56
	greetingStream
	kindStream
	sourceStream
	textStream
	editStream
	fingerprintStream
)

// random is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). It has one state
// word, so a document can be generated from its number alone.
type random struct{ state uint64 }

func newRandom(seed, stream uint64) random {
	return random{mix(seed*0x9e3779b97f4a7c15 ^ mix(stream+0x632be59bd9b4e019))}
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	return mix(r.state)
}

// below returns a number from 0 to n-1. Its bias of 2^-32 does not matter.
func (r *random) below(n int) int {
	if n <= math.MaxInt32 {
		return int(r.next() >> 32 * uint64(n) >> 32)
	}
	return int(r.next() >> 1 % uint64(n))
}

// length draws the length of a text: Median * 2^(normal * Sigma), where normal is a sum of 12 uniform numbers.
func (o Options) length(r *random) int {
	const one = 1 << 16
	normal := -6 * one
	for range 12 {
		normal += r.below(one)
	}
	// Convert Sigma from the natural logarithm: 1/ln 2 = 1.442695.
	exponent := normal * o.Sigma / 1000 * 1442695 / 1000000
	length := float64(o.Median) * power2(exponent)
	return int(min(max(length, 1), float64(o.Max)))
}

// power2 returns 2^(x/65536). Square roots and products are rounded equally on every machine, unlike math.Exp2.
func power2(x int) float64 {
	result := math.Ldexp(1, x>>16)
	root := 2.0
	for bit := 15; bit >= 0; bit-- {
		root = math.Sqrt(root)
		if x>>bit&1 == 1 {
			result *= root
		}
	}
	return result
}
