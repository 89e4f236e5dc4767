package simhash

import (
	"crypto/md5" //nolint:gosec // a definition to reproduce, nothing is secured by it
	"encoding/binary"
	"math/bits"
)

// Hash is a 64-bit hash of the bytes of a feature. It never changes.
type Hash func(feature string) uint64

// FNV1 returns the 64-bit FNV-1 hash (multiply, then xor; not FNV-1a).
func FNV1(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = h*1099511628211 ^ uint64(s[i])
	}
	return h
}

// MD5 returns the last 8 bytes of the MD5 digest as a big-endian number.
func MD5(s string) uint64 {
	sum := md5.Sum([]byte(s))
	return binary.BigEndian.Uint64(sum[8:])
}

// StringHash returns the hash over code points that Python used for strings before 3.4, in the form that the keyword
// article specifies. It starts with x = c0<<7, continues with x = (x*1000003) xor c for every code point c, and ends with x
// xor the number of code points. It returns the low 64 bits, and 0 for the empty string.
func StringHash(s string) uint64 {
	var x, n uint64
	for _, c := range s {
		if n == 0 {
			x = uint64(c) << 7
		}
		x = x*1000003 ^ uint64(c)
		n++
	}
	return x ^ n
}

// Lookup3 returns Bob Jenkins' hashlittle2 (lookup3.c, May 2006, public domain) over the bytes with both seeds
// 0, as (pc << 32) | pb.
func Lookup3(s string) uint64 { return lookup3(s, 0, 0) }

// lookup3 returns hashlittle2 with the two initial values pc and pb.
func lookup3(s string, pc, pb uint32) uint64 {
	a := 0xdeadbeef + uint32(len(s)) + pc
	b, c := a, a+pb
	for len(s) > 12 {
		a, b, c = a+word32(s), b+word32(s[4:]), c+word32(s[8:])
		a, b, c = mix3(a, b, c)
		s = s[12:]
	}
	if len(s) > 0 {
		var tail [12]byte // bytes past the end count as zero
		copy(tail[:], s)
		a += binary.LittleEndian.Uint32(tail[:])
		b += binary.LittleEndian.Uint32(tail[4:])
		c += binary.LittleEndian.Uint32(tail[8:])
		b, c = final3(a, b, c)
	}
	return uint64(c)<<32 | uint64(b)
}

func word32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// mix3 applies lookup3's mix, which is reversible and spreads every bit of the state over the rest.
func mix3(a, b, c uint32) (uint32, uint32, uint32) {
	a, c = (a-c)^bits.RotateLeft32(c, 4), c+b
	b, a = (b-a)^bits.RotateLeft32(a, 6), a+c
	c, b = (c-b)^bits.RotateLeft32(b, 8), b+a
	a, c = (a-c)^bits.RotateLeft32(c, 16), c+b
	b, a = (b-a)^bits.RotateLeft32(a, 19), a+c
	c, b = (c-b)^bits.RotateLeft32(b, 4), b+a
	return a, b, c
}

// final3 applies lookup3's final mixing. Only b and c are results.
func final3(a, b, c uint32) (uint32, uint32) {
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	c = (c ^ b) - bits.RotateLeft32(b, 24)
	return b, c
}
