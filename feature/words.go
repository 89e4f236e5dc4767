package feature

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/neardup/neardup/text"
)

// ASCII words are found 64 bytes at a time, quotes and dashes between them: a bit for each byte says whether it
// is part of a word, and the words are then read off the bits. That costs one
// badly predicted branch a block instead of one a word. All other runes are
// looked at one by one.

// span is the number of bytes classified at once; a block carries 16 bytes
// more, so that a word is always hashed by two plain loads.
const span = 64

type block = [span + 16]byte

// alone reports whether a rune is a unit of its own under Auto or Scripts.
func (u Unit) alone(r rune) bool {
	return u != Words && text.IsCJK(r) || u == Scripts && text.IsUnspaced(r)
}

// continues reports whether a rune goes on with the word before it.
func (u Unit) continues(r rune) bool {
	return (text.IsWord(r) || u == Scripts && text.IsMark(r)) && !u.alone(r)
}

// appendWords appends the hash of every word of the unit.
func appendWords(dst []uint64, s string, k *keys, unit Unit) []uint64 {
	all := unsafe.Slice(unsafe.StringData(s), len(s)) // read only
	var tail block
	for at := 0; at < len(all); {
		if all[at] >= utf8.RuneSelf {
			dst, at = k.appendOther(dst, all, at, unit)
			continue
		}
		b, n := &tail, min(span, len(all)-at)
		if len(all)-at >= len(b) {
			b = (*block)(all[at:])
		} else {
			clear(tail[copy(tail[:], all[at:]):])
		}
		word, n := classify(b, n)
		start := word &^ (word << 1)
		if word>>(n-1)&1 != 0 && goesOn(all[at+n:], unit) {
			first := 63 - bits.LeadingZeros64(start)
			if first == 0 {
				end := at + wordEnd(all[at:], unit)
				dst = append(dst, k.word(all[at:end]))
				at = end
				continue
			}
			// The last word begins the next block.
			n = first
			start &^= 1 << first
			word &= 1<<first - 1
		}
		dst = k.appendBlock(dst, b, word, start)
		at += n
	}
	return dst
}

// appendOther appends the words that begin before the next ASCII byte and
// returns where it stopped.
func (k *keys) appendOther(dst []uint64, all []byte, at int, unit Unit) ([]uint64, int) {
	for at < len(all) && all[at] >= utf8.RuneSelf {
		if b := all[at:]; unit != Words && len(b) >= 3 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80 {
			c, d, e := uint64(b[0]), uint64(b[1]), uint64(b[2])
			if r := c<<12&0xF000 | d<<6&0xFC0 | e&0x3F; c&0xF0 == 0xE0 && r-hanLow < hanLen {
				dst = append(dst, fold(c|d<<8|e<<16^k.a, k.b))
				at += 3
				continue
			}
		}
		r, width := utf8.DecodeRune(all[at:])
		alone := unit.alone(r)
		if alone || text.IsWord(r) {
			if !alone {
				width = wordEnd(all[at:], unit)
			}
			dst = append(dst, k.word(all[at:at+width]))
		}
		at += width
	}
	return dst, at
}

// appendBlock hashes the words of one block.
func (k *keys) appendBlock(dst []uint64, b *block, word, start uint64) []uint64 {
	dst = slices.Grow(dst, span)
	out := dst[len(dst) : len(dst)+span]
	ends := word << 1 &^ word
	n := 0
	for ; start != 0; n++ {
		i := bits.TrailingZeros64(start) & (span - 1)
		size := bits.TrailingZeros64(ends) - i
		start &= start - 1
		ends &= ends - 1
		if size > 16 {
			out[n&(span-1)] = k.word(b[i : i+size])
			continue
		}
		m := &keep[size]
		x := binary.LittleEndian.Uint64(b[i:i+8]) & m[0]
		y := binary.LittleEndian.Uint64(b[i+8:i+16]) & m[1]
		out[n&(span-1)] = fold(x^k.a, y^k.b)
	}
	return dst[:len(dst)+n]
}

// classify looks at the first n bytes of a block, or fewer: up to the first
// that is neither ASCII nor of one of the quotes and dashes of English. It
// returns their number and a bit for each: whether it is part of a word.
func classify(b *block, n int) (word uint64, size int) {
	for i := 0; i < n; {
		v := binary.LittleEndian.Uint64(b[i : i+8])
		high := v & tops
		word |= asciiWord(v) << (i & (span - 1))
		if high == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(high) >> 3
		if word &= 1<<i - 1; i+3 > n || !punctuation(b[i], b[i+1], b[i+2]) {
			n = min(i, n)
			break
		}
		i += 3
	}
	return word & (1<<n - 1), n
}

// punctuation reports whether three bytes are a rune of U+2000 to U+203F,
// none of which belongs to a word.
func punctuation(a, b, c byte) bool { return a == 0xE2 && b == 0x80 && c&0xC0 == 0x80 }

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// asciiWord returns a bit for each of the eight bytes of v: whether it is a
// letter, a digit or the underscore. It is right up to the first byte that is
// not ASCII.
func asciiWord(v uint64) uint64 {
	low := v | 0x20*ones
	letter := (low + (0x80-'a')*ones) &^ (low + (0x7f-'z')*ones)
	digit := (v + (0x80-'0')*ones) &^ (v + (0x7f-'9')*ones)
	under := tops - (v ^ '_'*ones)
	return ((letter | digit | under) & tops >> 7) * 0x0102040810204080 >> 56
}

// goesOn reports whether a word that ends before rest has more to come.
func goesOn(rest []byte, unit Unit) bool {
	r, _ := utf8.DecodeRune(rest)
	return unit.continues(r)
}

// wordEnd returns the length of the word that b starts with, which is not alone.
func wordEnd(b []byte, unit Unit) int {
	end := 0
	for end < len(b) && goesOn(b[end:], unit) {
		_, width := utf8.DecodeRune(b[end:])
		end += width
	}
	return end
}
