package text

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// asciiBlock cleans eight ASCII bytes at a time, each in its own lane of a word. If a constant is added to a byte below
// 0x80, the sum has its top bit set if the byte is at least 0x80 minus the constant.
type asciiBlock struct {
	lower uint64 // 0x20 in every lane if upper case becomes lower case
	space uint64 // all ones if white space is collapsed
}

func (n Normalizer) asciiBlock() (b asciiBlock) {
	if n.does(lowerCase) {
		b.lower = 0x20 * ones
	}
	if n.does(collapseSpace) {
		b.space = ^uint64(0)
	}
	return b
}

// clean returns the clean form of w, with the first byte lowest. after is set if a space precedes w. Top bits in stop mark
// the bytes at which the caller must stop: bytes that are not ASCII, control characters, and repeated spaces. again marks
// the repeated spaces only. out is valid before the first marked byte.
func (b asciiBlock) clean(w uint64, after bool) (out, stop, again uint64) {
	stop = w & highs
	if odd := (^(w + 0x60*ones) | (w + ones)) & highs; odd != 0 { // below 0x20, or 0x7F
		white := ((w + 0x77*ones) &^ (w + 0x72*ones)) & highs // U+0009 to U+000D
		stop |= odd &^ white
		fill := (white >> 7) * 0xFF & b.space
		w = w&^fill | 0x20*ones&fill
	}
	upper := ((w + 0x3F*ones) &^ (w + 0x25*ones)) & highs
	w |= upper >> 2 & b.lower
	blank := ^(w ^ 0x20*ones + 0x7F*ones) & highs
	before := blank << 8
	if after {
		before |= 0x80
	}
	again = blank & before & b.space
	return w, stop | again, again
}

func load64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func store64(b []byte, w uint64) { binary.LittleEndian.PutUint64(b, w) }

// decodeRune returns utf8.DecodeRuneInString(s[i:]), with a fast path for the common cases. i must be below
// len(s).
func decodeRune(s string, i int) (rune, int) {
	if c := s[i]; c < 0x80 {
		return rune(c), 1
	} else if c>>4 == 0xE && i+2 < len(s) && s[i+1]>>6 == 2 && s[i+2]>>6 == 2 {
		r := rune(c&0xF)<<12 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F)
		if r >= 0x800 && r>>11 != 0xD800>>11 {
			return r, 3
		}
	}
	if c := s[i]; c >= 0xC2 && c < 0xE0 && i+1 < len(s) && s[i+1]>>6 == 2 {
		return rune(c&0x1F)<<6 | rune(s[i+1]&0x3F), 2
	}
	return utf8.DecodeRuneInString(s[i:])
}
