package feature

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/neardup/neardup/text"
)

// Words are found 64 bytes at a time: a bit for each byte says whether it is
// part of a word, and the words are then read off the bits. That costs one
// badly predicted branch a block instead of one a word.

// span is the number of bytes classified at once; a block carries 16 bytes
// more, so that a word is always hashed by two plain loads.
const span = 64

type block = [span + 16]byte

// appendWords appends the hash of every word; with split, CJK runes are words
// of their own.
func appendWords(dst []uint64, s string, k *keys, split bool) []uint64 {
	all := unsafe.Slice(unsafe.StringData(s), len(s)) // read only
	var tail block
	for at := 0; at < len(all); {
		var b *block
		n := span
		if len(all)-at >= len(b) {
			b = (*block)(all[at:])
		} else {
			clear(tail[copy(tail[:], all[at:]):])
			b, n = &tail, min(span, len(all)-at)
		}
		word, start, n := classify(b, n, split)
		last := at+n == len(all)
		if !last && word>>(n-1)&1 != 0 {
			// The last word may go on: it belongs to the next block.
			first := 63 - bits.LeadingZeros64(start)
			if first == 0 {
				end := at + wordEnd(s[at:], split)
				dst = append(dst, k.word(all[at:end]))
				at = end
				continue
			}
			n = first
			start &^= 1 << first
			word &= 1<<first - 1
		}
		dst = k.appendBlock(dst, b, word, start)
		at += n
	}
	return dst
}

// appendBlock hashes the words of one block.
func (k *keys) appendBlock(dst []uint64, b *block, word, start uint64) []uint64 {
	dst = slices.Grow(dst, span)
	out := dst[len(dst) : len(dst)+span]
	ends := word << 1 & (start | ^word)
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

// classify looks at the first n bytes of a block: bit i of word is set if byte
// i is part of a word, and bit i of start if a word begins there. It returns
// the number of bytes it judged: fewer than n if a rune is cut at the end.
func classify(b *block, n int, split bool) (word, start uint64, size int) {
	var high uint64
	for i := 0; i < span; i += 8 {
		v := binary.LittleEndian.Uint64(b[i:])
		high |= v
		word |= asciiWord(v) << i
	}
	if high&0x8080808080808080 != 0 {
		return classifyRunes(b, n, split)
	}
	if n < span {
		word &= 1<<n - 1
	}
	return word, word &^ (word << 1), n
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// asciiWord returns a bit for each of the eight ASCII bytes of v: whether it is
// a letter, a digit or the underscore.
func asciiWord(v uint64) uint64 {
	low := v | 0x20*ones
	letter := (low + (0x80-'a')*ones) &^ (low + (0x7f-'z')*ones)
	digit := (v + (0x80-'0')*ones) &^ (v + (0x7f-'9')*ones)
	under := tops - (v ^ '_'*ones)
	return ((letter | digit | under) & tops >> 7) * 0x0102040810204080 >> 56
}

// classifyRunes is classify for blocks with other than ASCII.
func classifyRunes(b *block, n int, split bool) (word, start uint64, size int) {
	fresh := true // the next word rune starts a word
	for size < n {
		if r := han(b[size:]); r && size+3 <= n {
			word |= 7 << size
			if fresh || split {
				start |= 1 << size
			}
			fresh = split
			size += 3
			continue
		}
		r, width := utf8.DecodeRune(b[size:])
		if size+width > n {
			break
		}
		if text.IsWord(r) {
			alone := split && text.IsCJK(r)
			if fresh || alone {
				start |= 1 << size
			}
			fresh = alone
			word |= (1<<width - 1) << size
		} else {
			fresh = true
		}
		size += width
	}
	return word, start, size
}

// han reports whether b begins with one of U+5000..U+9FBF, of which every one
// is a Han rune: their three bytes are the usual case in Chinese.
func han(b []byte) bool {
	return len(b) >= 3 && b[0]-0xE5 < 5 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80 &&
		(b[0] < 0xE9 || b[1] < 0xBF)
}

// wordEnd returns the length of the word that s starts with.
func wordEnd(s string, split bool) int {
	for i, r := range s {
		if !text.IsWord(r) || split && i > 0 && text.IsCJK(r) {
			return i
		}
	}
	return len(s)
}
