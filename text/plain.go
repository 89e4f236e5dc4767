package text

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// plain cleans the runes that most texts consist of: ASCII, eight bytes at a time, and runes that stay unchanged or become
// ASCII. It stops before any other rune, and in the last eight bytes.
func (c *cleaner) plain(block asciiBlock) {
	s, i := c.src, c.at
	dst := slices.Grow(c.dst, len(s)-i+8)
	out, o := dst[:cap(dst)], len(dst) // never writes more than it reads
	after := endsInSpace(dst)
	for i+8 <= len(s) {
		w, stop, again := block.clean(load64(s, i), after)
		store64(out[o:], w)
		if stop == 0 {
			after = w>>56 == ' '
			o += 8
			i += 8
			continue
		}
		n := bits.TrailingZeros64(stop) >> 3
		if n > 0 {
			after = byte(w>>(8*n-8)) == ' '
			o += n
			i += n
		}
		if s[i] >= utf8.RuneSelf {
			read, written := c.plainRunes(out[o:], s[i:], after)
			if read == 0 {
				break
			}
			i += read
			o += written
			after = (o > 0 && out[o-1] == ' ') || o == 0
		} else if again>>(8*n+7)&1 != 0 {
			i++
		} else {
			break
		}
	}
	c.at, c.dst = i, dst[:o]
}

// plainRunes does the same as plain for runes that are not ASCII. len(out) must be at least len(s).
func (c *cleaner) plainRunes(out []byte, s string, after bool) (read, written int) {
	i, o := 0, 0
	for i+8 <= len(s) {
		w := load64(s, i)
		if w&0xC0C0F0 != 0x8080E0 || w&0x200F == 0 || w&0x200F == 0x200D {
			// The rune does not have three bytes, is not in the shortest form, or is a surrogate.
			if w&0xC0E0 != 0x80C0 || w&0x1E == 0 || class(rune(w&0x1F<<6|w>>8&0x3F))&c.mask != 0 {
				break
			}
			store64(out[o:], w)
			i += 2
			o += 2
			after = false
			continue
		}
		r := rune(w&0xF<<12 | w>>2&0xFC0 | w>>16&0x3F)
		f := class(r) & c.mask
		if f == 0 {
			store64(out[o:], w)
			i += 3
			o += 3
			after = false
			continue
		}
		if f == classSimplify {
			r = simplifications().of(r)
			if utf8.RuneLen(r) != 3 {
				break
			}
			i += 3
			o += utf8.EncodeRune(out[o:], r)
			after = false
			continue
		}
		ascii := asciiForm(r)
		if ascii == 0 || f&classStrip != 0 || !c.does(compatibility) {
			break
		}
		i += 3
		if ascii == ' ' && after && c.does(collapseSpace) {
			continue
		}
		after = ascii == ' '
		if c.does(lowerCase) && ascii >= 'A' && ascii <= 'Z' {
			ascii |= 0x20
		}
		out[o] = byte(ascii)
		o++
	}
	return i, o
}
