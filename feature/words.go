package feature

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/neardup/neardup/text"
)

// ASCII words, and the quotes and dashes between them, are found 64 bytes at a time. A mask has a bit for each byte that is
// part of a word, and the words are read off the mask. That costs one mispredicted branch per block instead of one per
// word. All other runes are handled one by one.

// blockBytes is the number of bytes classified at once. A block has 16 more bytes, so that a word can always be hashed by
// two plain loads.
const blockBytes = 64

type block = [blockBytes + 16]byte

// alone reports whether a rune is a unit by itself under Auto or Scripts.
func (u Unit) alone(r rune) bool {
	return (u != Words && text.IsCJK(r)) || (u == Scripts && text.IsUnspaced(r))
}

// continues reports whether a rune continues the word before it.
func (u Unit) continues(r rune) bool {
	return (text.IsWord(r) || (u == Scripts && text.IsMark(r))) && !u.alone(r)
}

// Units returns a hash of each unit of a clean text (not runes), in order, and the byte offset of each.
// O(len(clean)).
func Units(clean string, unit Unit) (hashes, starts []uint32) {
	w := idleWords.Get().(*words)
	defer idleWords.Put(w)
	return w.units(clean, unit)
}

// units returns the lower halves of the hashes, and the offsets. w.hashes keeps the whole hashes.
func (w *words) units(clean string, unit Unit) (hashes, starts []uint32) {
	w.unit, w.hashes, w.starts = unit, w.hashes[:0], w.starts[:0]
	w.append(clean)
	hashes = make([]uint32, len(w.hashes))
	for i, h := range w.hashes {
		hashes[i] = uint32(h)
	}
	return hashes, slices.Clone(w.starts)
}

// AppendUnits appends hashes like Append, and also returns those of [Units]. It needs one pass if the seed is 0 and the
// units are not runes.
func (s Shingle) AppendUnits(dst []uint64, clean string, seed uint64) (shingles []uint64, hashes, starts []uint32) {
	if seed != 0 || s.Unit == Runes {
		hashes, starts = Units(clean, s.Unit)
		return s.Append(dst, clean, seed), hashes, starts
	}
	w := idleWords.Get().(*words)
	defer idleWords.Put(w)
	hashes, starts = w.units(clean, s.Unit)
	from := len(dst)
	dst = append(dst, w.hashes...)
	return dst[:from+w.joinWords(dst[from:], s.K)], hashes, starts
}

var idleWords = sync.Pool{New: func() any {
	return &words{keys: newKeys(0), where: true}
}}

// words holds the hashes of words and, if where is set, their offsets.
type words struct {
	keys
	unit   Unit
	hashes []uint64
	starts []uint32
	where  bool
}

// put adds a word that begins at an offset.
func (w *words) put(h uint64, at int) {
	w.hashes = append(w.hashes, h)
	if w.where {
		w.starts = append(w.starts, uint32(at))
	}
}

func (w *words) append(s string) {
	all := unsafe.Slice(unsafe.StringData(s), len(s)) // read only
	var tail block
	for at := 0; at < len(all); {
		if all[at] >= utf8.RuneSelf {
			at = w.other(all, s, at)
			continue
		}
		b, n := &tail, min(blockBytes, len(all)-at)
		if len(all)-at >= len(b) {
			b = (*block)(all[at:])
		} else {
			clear(tail[copy(tail[:], all[at:]):])
		}
		word, n := classify(b, n)
		start := word &^ (word << 1)
		if word>>(n-1)&1 != 0 && goesOn(all[at+n:], w.unit) {
			first := 63 - bits.LeadingZeros64(start)
			if first == 0 {
				end := at + wordEnd(all[at:], w.unit)
				w.put(w.word(all[at:end]), at)
				at = end
				continue
			}
			// The last word continues in the next block.
			n = first
			start &^= 1 << first
			word &= 1<<first - 1
		}
		from := len(w.hashes)
		if odd := w.block(b, word, start, at); (odd || gaps(b, ^word&(1<<n-1))) && signed(s, at, n, word) {
			w.hashes = w.hashes[:from]
			if w.where {
				w.starts = w.starts[:from]
			}
			at = w.mixed(all, s, at, n, word)
			continue
		}
		at += n
	}
}

// other hashes the words that begin before the next ASCII byte, and returns where it stopped.
func (w *words) other(all []byte, s string, at int) int {
	for at < len(all) && all[at] >= utf8.RuneSelf {
		if b := all[at:]; w.unit != Words && len(b) >= 3 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80 {
			c, d, e := uint64(b[0]), uint64(b[1]), uint64(b[2])
			if r := c<<12&0xF000 | d<<6&0xFC0 | e&0x3F; c&0xF0 == 0xE0 && r-hanLow < hanLen {
				w.put(fold(c|d<<8|e<<16^w.a, w.b), at)
				at += 3
				continue
			}
		}
		r, width := utf8.DecodeRune(all[at:])
		alone := w.unit.alone(r)
		if alone || text.IsWord(r) {
			if !alone {
				width = wordEnd(all[at:], w.unit)
			}
			w.put(w.word(all[at:at+width]), at)
		} else if text.MaySign[all[at]] {
			width = max(width, w.sign(s, at)-at)
		}
		at += width
	}
	return at
}

// block hashes the words of a block. It reports whether one of the two bytes after a word, or at the start of the block,
// may be a sign.
func (w *words) block(b *block, word, start uint64, at int) (odd bool) {
	if w.where {
		w.starts = slices.Grow(w.starts, blockBytes)
		out := w.starts[len(w.starts) : len(w.starts)+blockBytes]
		n := 0
		for s := start; s != 0; n++ {
			out[n&(blockBytes-1)] = uint32(at + bits.TrailingZeros64(s))
			s &= s - 1
		}
		w.starts = w.starts[:len(w.starts)+n]
	}
	w.hashes = slices.Grow(w.hashes, blockBytes)
	out := w.hashes[len(w.hashes) : len(w.hashes)+blockBytes]
	ends := word << 1 &^ word
	n := 0
	may := mayBegin[b[0]] | signPairs[binary.LittleEndian.Uint16(b[:])]
	for ; start != 0; n++ {
		i := bits.TrailingZeros64(start) & (blockBytes - 1)
		end := bits.TrailingZeros64(ends)
		size := end - i
		may |= signPairs[binary.LittleEndian.Uint16(b[end&127:])]
		start &= start - 1
		ends &= ends - 1
		if size > 16 {
			out[n&(blockBytes-1)] = w.word(b[i : i+size])
			continue
		}
		m := &keep[size]
		x := binary.LittleEndian.Uint64(b[i:i+8]) & m[0]
		y := binary.LittleEndian.Uint64(b[i+8:i+16]) & m[1]
		out[n&(blockBytes-1)] = fold(x^w.a, y^w.b)
	}
	w.hashes = w.hashes[:len(w.hashes)+n]
	return may != 0
}

// gaps reports whether the third or a later byte between two words may be a sign.
func gaps(b *block, gap uint64) bool {
	var may uint8
	for third := gap & (gap << 1) & (gap << 2); third != 0; third &= third - 1 {
		i := (bits.TrailingZeros64(third) - 1) & (blockBytes - 1)
		may |= signPairs[binary.LittleEndian.Uint16(b[i:])]
	}
	return may != 0
}

// classify classifies up to n bytes of a block. It stops at the first byte that is neither ASCII nor part of an English
// quote or dash. It returns a bit for each byte that is part of a word, and the number of bytes.
func classify(b *block, n int) (word uint64, size int) {
	for i := 0; i < n; {
		v := binary.LittleEndian.Uint64(b[i : i+8])
		high := v & tops
		word |= asciiWord(v) << (i & (blockBytes - 1))
		if high == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(high) >> 3
		word &= 1<<i - 1
		if i+3 > n || !punctuation(b[i], b[i+1], b[i+2], b[i+3]) {
			n = min(i, n)
			break
		}
		i += 3
	}
	return word & (1<<n - 1), n
}

// punctuation reports whether the first three bytes are a rune from U+2000 to U+203F that is not a sign. Per mille is a
// sign, and so is a dash before a number. None of these runes belongs to a word.
func punctuation(a, b, c, then byte) bool {
	if a != 0xE2 || b != 0x80 || c&0xC0 != 0x80 {
		return false
	}
	dash := c >= 0x90 && c <= 0x93
	return c != 0xB0 && (!dash || then == ' ' || (kinds[then] == 1 && then > '9'))
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// asciiWord returns a bit for each of the eight bytes of v that is a letter, a digit or the underscore. The bits are right
// up to the first byte that is not ASCII.
func asciiWord(v uint64) uint64 {
	low := v | 0x20*ones
	letter := (low + (0x80-'a')*ones) &^ (low + (0x7f-'z')*ones)
	digit := (v + (0x80-'0')*ones) &^ (v + (0x7f-'9')*ones)
	under := tops - (v ^ '_'*ones)
	return ((letter | digit | under) & tops >> 7) * 0x0102040810204080 >> 56
}

// goesOn reports whether a word that ends before rest continues in it.
func goesOn(rest []byte, unit Unit) bool {
	r, _ := utf8.DecodeRune(rest)
	return unit.continues(r)
}

// wordEnd returns the length of the word at the start of b, which is not a single rune under alone.
func wordEnd(b []byte, unit Unit) int {
	if end := bytes.IndexFunc(b, func(r rune) bool { return !unit.continues(r) }); end >= 0 {
		return end
	}
	return len(b)
}
