package feature

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// kinds holds two counts in one number: letters and digits of ASCII in the low bits, and bytes that may be signs from
// signBit up.
var kinds = func() (t [256]uint32) {
	for c := range utf8.RuneSelf {
		switch {
		case text.IsAlnum(rune(c)):
			t[c] = 1
		case text.MaySign[c]:
			t[c] = signBit
		}
	}
	return t
}()

const signBit = 1 << 16

// room is the number of runes for which space is reserved at a time.
const room = 256

// appendRunes appends the letters, digits and signs of s.
func appendRunes(dst []uint64, s string) []uint64 {
	for at := 0; at < len(s); {
		dst = slices.Grow(dst, room)
		var n int
		n, at = fillRunes((*[room]uint64)(dst[len(dst):len(dst)+room]), s, at)
		dst = dst[:len(dst)+n]
	}
	return dst
}

// fillRunes writes letters, digits and signs from an offset on until out is nearly full. It returns their number and the
// offset where it stopped.
func fillRunes(out *[room]uint64, s string, at int) (n, end int) {
	for n <= room-8 && len(s)-at >= 8 {
		v := load8(s[at:])
		switch high := v & tops; {
		case high == 0:
			got := eightRunes((*[8]uint64)(out[n:]), v)
			if got >= signBit && signed(s, at, 8, 0) {
				n, at = signRunes(out, n, at, 8, s)
				continue
			}
			n += got & (signBit - 1)
			at += 8
		case v&0xC0C0F0 == 0x8080E0 && ((v&0xF > 2 && v&0xF != 0xD) || v&0xF8FFFF == 0x9880E2):
			// Three bytes encode nearly every Chinese, Japanese or Korean rune, and quotation marks.
			r := v&0xF<<12 | v>>2&0xFC0 | v>>16&0x3F
			out[n] = r
			n += one(text.IsAlnum(rune(r)))
			at += 3
		case high&0x80 == 0:
			// The number of bytes before the first that is not ASCII.
			ascii := bits.TrailingZeros64(high) &^ 7
			got := eightRunes((*[8]uint64)(out[n:]), v&(1<<ascii-1))
			if got >= signBit && signed(s, at, ascii>>3, 0) {
				n, at = signRunes(out, n, at, ascii>>3, s)
				continue
			}
			n += got & (signBit - 1)
			at += ascii >> 3
		default:
			n, at = oneRune(out, n, at, s)
		}
	}
	for n <= room-8 && at < len(s) && len(s)-at < 8 {
		n, at = oneRune(out, n, at, s)
	}
	return n, at
}

// signRunes reads some bytes, at least one of which may be a sign.
func signRunes(out *[room]uint64, n, at, size int, s string) (int, int) {
	for end := at + size; at < end && n < room-1; {
		n, at = oneRune(out, n, at, s)
	}
	return n, at
}

// Every code point of hanLow up to hanLow+hanLen is a Han rune.
const (
	hanLow = 0x4E00
	hanLen = 0x51F0
)

// eightRunes reads the letters and digits among eight ASCII bytes. It writes every byte but advances only for letters and
// digits, so there is no branch to mispredict. It adds signBit for each byte that may be a sign.
func eightRunes(out *[8]uint64, v uint64) int {
	n := uint32(0)
	for range 8 {
		c := v & 0xff
		out[n&7] = c
		n += kinds[c]
		v >>= 8
	}
	return int(n)
}

// oneRune reads the rune at an offset, or a sign of one or two runes.
func oneRune(out *[room]uint64, n, at int, s string) (int, int) {
	r, width := utf8.DecodeRuneInString(s[at:])
	if text.IsAlnum(r) {
		out[n] = uint64(r)
		return n + 1, at + width
	}
	name, end := text.Sign(s, at)
	for _, r := range name {
		out[n] = uint64(r)
		n++
	}
	return n, max(end, at+width)
}

// A code point has 21 bits, so three fill a lane.
const (
	runeBits = 21
	laneLen  = 3
)

// joinRunes does the same as joinWords for code points.
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
	// A shingle has at most two lanes. x is the last of the first lane, y of the second. Older runes above them are masked
	// off.
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

// twoLanes writes a shingle for every rune of ends. It works in place: out may share its start with the other two.
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

// manyRunes returns the hash over any number of lanes.
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
