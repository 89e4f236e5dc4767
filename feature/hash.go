package feature

import (
	"encoding/binary"
	"math/bits"
)

// The hash of a shingle, fixed for ever (testdata/vectors.tsv holds it):
//
//	keys     five 64-bit keys a, b, p, c, d: the first five outputs of
//	         SplitMix64 started at the seed; p is then made 5 modulo 8,
//	         and a, b, c, d odd.
//	fold     fold(x, y) = high xor low half of the 128-bit product x*y.
//	word     the UTF-8 bytes in blocks of 16, the last one padded with
//	         zeros; a block is two little-endian 64-bit numbers x, y.
//	         u = 0; for each block: u = fold(x ^ a ^ u, y ^ b).
//	rune     u = the code point.
//	shingle  units u1..um (m = K, or fewer in a short text):
//	         h = u1*p^(m-1) + ... + um  modulo 2^64,
//	         hash = fold(h ^ c, fold(h, d) ^ p) .
//
// A zero byte is in no word, so padding cannot make two words equal. All keys
// come from the seed, so who does not know it can neither foresee a hash nor
// construct two shingles that collide. With p = 5 modulo 8 the differences of
// the powers of p, of up to MaxK of them, keep most of their 64 bits.
type keys struct{ a, b, p, c, d uint64 }

func newKeys(seed uint64) keys {
	next := func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	return keys{a: next() | 1, b: next() | 1, p: next()&^7 | 5, c: next() | 1, d: next() | 1}
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
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

// long hashes a word of any length.
func (k *keys) long(word string) uint64 {
	var u uint64
	for len(word) > 0 {
		var block [16]byte
		n := copy(block[:], word)
		word = word[n:]
		x := binary.LittleEndian.Uint64(block[:8])
		y := binary.LittleEndian.Uint64(block[8:])
		u = fold(x^k.a^u, y^k.b)
	}
	return u
}

// finish makes the hash of a shingle from the sum of its units.
func (k *keys) finish(h uint64) uint64 {
	return fold(h^k.c, fold(h, k.d)^k.p)
}

// combine replaces units by the hashes of their shingles and returns how many
// there are. In place: a hash is written where its first unit was.
func (k *keys) combine(u []uint64, size int) int {
	if size >= len(u) {
		size = len(u)
	}
	if size == 0 {
		return 0
	}
	var h uint64
	drop := uint64(1) // p^size
	for _, x := range u[:size-1] {
		h = h*k.p + x
		drop *= k.p
	}
	drop *= k.p
	var old uint64 // unit that left the window, times p^size
	out := u[:len(u)-size+1]
	for i, x := range u[size-1:] {
		h = h*k.p + (x - old)
		old = out[i] * drop
		out[i] = k.finish(h)
	}
	return len(out)
}
