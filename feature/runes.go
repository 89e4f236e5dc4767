package feature

import (
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

// appendRunes appends the letters and digits of s.
func appendRunes(dst []uint64, s string) []uint64 {
	const room = 64 // runes made sure of at a time
	for len(s) > 0 {
		dst = slices.Grow(dst, room)
		out := dst[len(dst) : len(dst)+room]
		n, i := 0, 0
		for n <= room-8 && i < len(s) {
			if m, ok := eightRunes((*[8]uint64)(out[n:]), s[i:]); ok {
				n += m
				i += 8
				continue
			}
			r, width := decode(s[i:])
			if text.IsAlnum(r) {
				out[n] = uint64(r)
				n++
			}
			i += width
		}
		dst = dst[:len(dst)+n]
		s = s[i:]
	}
	return dst
}

// eightRunes takes the letters and digits among eight bytes if they are ASCII.
// It writes every byte and steps over the good ones: no branch to predict.
func eightRunes(out *[8]uint64, s string) (n int, ok bool) {
	if len(s) < 8 {
		return 0, false
	}
	v := load8(s)
	if v&tops != 0 {
		return 0, false
	}
	for range 8 {
		c := v & 0xff
		out[n&7] = c
		n += int(asciiAlnum[c])
		v >>= 8
	}
	return n, true
}

// decode is utf8.DecodeRuneInString with a short way for ASCII and for the
// three bytes of nearly every Chinese, Japanese and Korean rune.
func decode(s string) (rune, int) {
	c := s[0]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if c > 0xE0 && c < 0xED && len(s) >= 3 && s[1]&0xC0 == 0x80 && s[2]&0xC0 == 0x80 {
		return rune(c&0xF)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(s)
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
	// Two lanes at most: x ends with the first lane and y with the second,
	// and older runes above them are masked off.
	first := min(size, laneLen)
	var x, y uint64
	for _, r := range u[:first-1] {
		x = x<<runeBits | r
	}
	for _, r := range u[:size-1] {
		y = y<<runeBits | r
	}
	k.twoLanes(out, u[first-1:], u[size-1:], x, y, laneMask(first), laneMask(size-first))
	return len(out)
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
