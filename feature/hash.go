package feature

import "math/bits"

// The hash of a shingle, fixed for ever (testdata/vectors.tsv holds it):
//
//	keys     five 64-bit keys a, b, c, d, e: the first five outputs of
//	         SplitMix64 started at the seed; e is then made odd.
//	fold     fold(x, y) = high xor low half of the 128-bit product x*y.
//	chain    of 64-bit numbers under two keys (k, l): padded with a zero to
//	         an even count; z = 0; for each two x, y of them:
//	         z = fold(x ^ z ^ k, y ^ l).
//	word     its UTF-8 bytes, padded with zeros to 8, as little-endian
//	         numbers: u = chain of them under (a, b).
//	lanes    of words: u1, ..., uK; of runes: three code points to a number,
//	         r1<<42 | r2<<21 | r3, a last one of fewer being r1<<21 | r2 or r1.
//	shingle  z = e * chain of its lanes under (c, d)  modulo 2^64;
//	         hash = z xor z>>32.
//
// A word has no zero byte and a shingle of runes no zero code point, so padding never makes two of them equal. All keys
// come from the seed. An attacker who does not know it can neither predict a hash nor construct two texts that collide.
type keys struct{ a, b, c, d, e uint64 }

func newKeys(seed uint64) keys {
	const step = 0x9e3779b97f4a7c15
	next := func() uint64 { seed += step; return Mix(seed) }
	return keys{a: next(), b: next(), c: next(), d: next(), e: next() | 1}
}

// Mix applies the output function of SplitMix64 (Steele, Lea, Flood 2014), a permutation of 64 bits that
// spreads them evenly.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// finish makes the hash from the chain of the lanes.
func (k *keys) finish(z uint64) uint64 {
	z *= k.e
	return z ^ z>>32
}

// joinWords replaces the hashes of words by those of the shingles of size words and returns their number. It
// works in place: a shingle replaces its first word.
func (k *keys) joinWords(u []uint64, size int) int {
	size = min(size, len(u))
	if size == 0 {
		return 0
	}
	out := u[:len(u)-size+1]
	if size == 3 { // specialised for the usual sizes, which makes it twice as fast
		c, d := k.c, k.d
		x, y := u[0], u[1]
		for i, z := range u[2:] {
			out[i] = k.finish(fold(fold(x^c, y^d)^z^c, d))
			x, y = y, z
		}
		return len(out)
	}
	if size == 2 {
		for i, y := range u[1:] {
			out[i] = k.finish(fold(u[i]^k.c, y^k.d))
		}
		return len(out)
	}
	for i := range out {
		var z uint64
		lanes := u[i : i+size]
		for ; len(lanes) > 1; lanes = lanes[2:] {
			z = fold(lanes[0]^z^k.c, lanes[1]^k.d)
		}
		if len(lanes) > 0 {
			z = fold(lanes[0]^z^k.c, k.d)
		}
		out[i] = k.finish(z)
	}
	return len(out)
}

// keep[n] masks the first n bytes of two little-endian numbers.
var keep = func() (m [17][2]uint64) {
	for n := range m {
		for i := range n {
			m[n][i/8] |= 0xff << (i % 8 * 8)
		}
	}
	return m
}()

// word hashes a word of any length.
func (k *keys) word(w []byte) uint64 {
	var u uint64
	for len(w) > 0 {
		var lanes [2]uint64
		n := min(16, len(w))
		for i, c := range w[:n] {
			lanes[i/8] |= uint64(c) << (i % 8 * 8)
		}
		u = fold(lanes[0]^u^k.a, lanes[1]^k.b)
		w = w[n:]
	}
	return u
}

// load8 reads eight bytes.
func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
