package feature

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// asciiAlnum is 1 for the letters and digits of ASCII.
var asciiAlnum = func() (t [256]uint8) {
	for c := range utf8.RuneSelf {
		if text.IsAlnum(rune(c)) {
			t[c] = 1
		}
	}
	return t
}()

// room is the number of runes that space is made for at a time.
const room = 256

// appendRunes appends the letters and digits of s.
func appendRunes(dst []uint64, s string) []uint64 {
	for len(s) > 0 {
		dst = slices.Grow(dst, room)
		n, used := fillRunes((*[room]uint64)(dst[len(dst):len(dst)+room]), s)
		dst = dst[:len(dst)+n]
		s = s[used:]
	}
	return dst
}

// fillRunes writes letters and digits until out is nearly full.
func fillRunes(out *[room]uint64, s string) (n, used int) {
	for n <= room-8 && len(s)-used >= 8 {
		v := load8(s[used:])
		switch high := v & tops; {
		case high == 0:
			n += eightRunes((*[8]uint64)(out[n:]), v)
			used += 8
		case v&0xC0C0F0 == 0x8080E0 && v&0xF != 0 && v&0xF != 0xD:
			// Three bytes: nearly every Chinese, Japanese or Korean rune.
			r := v&0xF<<12 | v>>2&0xFC0 | v>>16&0x3F
			out[n] = r
			n += one(text.IsAlnum(rune(r)))
			used += 3
		case high&0x80 == 0:
			// The bytes before the first that is not ASCII.
			ascii := bits.TrailingZeros64(high) &^ 7
			n += eightRunes((*[8]uint64)(out[n:]), v&(1<<ascii-1))
			used += ascii >> 3
		default:
			n, used = oneRune(out, n, used, s)
		}
	}
	for n <= room-8 && used < len(s) && len(s)-used < 8 {
		n, used = oneRune(out, n, used, s)
	}
	return n, used
}

// Every code point of hanLow up to hanLow+hanLen is a Han rune.
const (
	hanLow = 0x4E00
	hanLen = 0x51F0
)

// eightRunes takes the letters and digits of eight ASCII bytes. It writes
// every byte and steps over the good ones: no branch to predict.
func eightRunes(out *[8]uint64, v uint64) int {
	n := 0
	for range 8 {
		c := v & 0xff
		out[n&7] = c
		n += int(asciiAlnum[c])
		v >>= 8
	}
	return n
}

// oneRune takes whatever s has at used.
func oneRune(out *[room]uint64, n, used int, s string) (int, int) {
	r, width := utf8.DecodeRuneInString(s[used:])
	if text.IsAlnum(r) {
		out[n] = uint64(r)
		n++
	}
	return n, used + width
}

// A code point has 21 bits, so three fill a lane.
const (
	runeBits = 21
	laneLen  = 3
)

// joinRunes is joinWords for code points.
func (k *keys) joinRunes(u []uint64, size int) int {
	size = min(size, len(u))
	if size == 0 {
		return 0
	}
	out := u[:len(u)-size+1]
	if size > 2*laneLen {
		for i := range out {
			out[i] = k.manyRunes(u[i : i+size])
		}
		return len(out)
	}
	if size <= laneLen {
		var x uint64
		for _, r := range u[:size-1] {
			x = x<<runeBits | r
		}
		k.oneLane(out, u[size-1:], x, laneMask(size))
		return len(out)
	}
	// Two lanes at most: x ends with the first lane and y with the second,
	// and older runes above them are masked off.
	var x, y uint64
	for _, r := range u[:laneLen-1] {
		x = x<<runeBits | r
	}
	for _, r := range u[:size-1] {
		y = y<<runeBits | r
	}
	k.twoLanes(out, u[laneLen-1:], u[size-1:], x, y, laneMask(laneLen), laneMask(size-laneLen))
	return len(out)
}

// oneLane writes a shingle for every rune of ends, in place like twoLanes.
func (k *keys) oneLane(out, ends []uint64, x, keep uint64) {
	c, d, e := k.c, k.d, k.e
	ends = ends[:len(out)]
	for i := range out {
		x = x<<runeBits | ends[i]
		z := fold(x&keep^c, d) * e
		out[i] = z ^ z>>32
	}
}

// twoLanes writes a shingle for every rune of ends. In place: out may begin
// where the other two do.
func (k *keys) twoLanes(out, mids, ends []uint64, x, y, keepX, keepY uint64) {
	c, d, e := k.c, k.d, k.e
	mids = mids[:len(out)]
	ends = ends[:len(out)]
	for i := range out {
		x = x<<runeBits | mids[i]
		y = y<<runeBits | ends[i]
		z := fold(x&keepX^c, y&keepY^d) * e
		out[i] = z ^ z>>32
	}
}

// laneMask keeps the last n runes of a lane.
func laneMask(n int) uint64 { return 1<<(runeBits*n) - 1 }

// manyRunes is the hash over any number of lanes.
func (k *keys) manyRunes(u []uint64) uint64 {
	var z uint64
	for len(u) > 0 {
		var lanes [2]uint64
		for i := range lanes {
			n := min(laneLen, len(u))
			for _, r := range u[:n] {
				lanes[i] = lanes[i]<<runeBits | r
			}
			u = u[n:]
		}
		z = fold(lanes[0]^z^k.c, lanes[1]^k.d)
	}
	return k.finish(z)
}
