package text

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Clean returns the clean text of s. If s is clean already, it returns s or a part of it. It takes one pass, O(len(s)) for
// any input. Cleaning is idempotent: Clean(Clean(s)) == Clean(s).
func (n Normalizer) Clean(s string) string {
	if n.steps == 0 {
		return s
	}
	if n.does(foldNumbers) {
		return withoutNumbers(Normalizer{n.steps &^ foldNumbers}.Clean(s))
	}
	if n.does(foldAccents) {
		return Normalizer{n.steps & collapseSpace}.Clean(withoutAccents(Normalizer{n.steps &^ foldAccents}.Clean(s)))
	}
	if n.does(collapseSpace) {
		s = strings.TrimFunc(s, isSpace)
	}
	mask := n.mask()
	i := n.cleanPrefix(s, mask)
	if i == len(s) {
		return s
	}
	c := cleaner{Normalizer: n, src: s, at: i, mask: mask}
	c.dst = append(make([]byte, 0, len(s)+16), s[:i]...)
	c.run()
	if n.does(collapseSpace) && len(c.dst) > 0 && c.dst[len(c.dst)-1] == ' ' {
		c.dst = c.dst[:len(c.dst)-1]
	}
	return unsafe.String(unsafe.SliceData(c.dst), len(c.dst)) // dst has no other reference
}

// mask returns the classes of runes that the steps may change.
func (n Normalizer) mask() (mask uint8) {
	for i, classes := range [...]uint8{classStrip, classNFKC, classNFKC, classLower, classSimplify, classSpace} {
		if n.does(1 << i) {
			mask |= classes
		}
	}
	return mask
}

// cleanPrefix returns the length of the part at the start of s that is clean, without leading white space.
func (n Normalizer) cleanPrefix(s string, mask uint8) int {
	block := n.asciiBlock()
	i := 0
	for i < len(s) {
		for i+8 <= len(s) {
			w := load64(s, i)
			if out, stop, _ := block.clean(w, i > 0 && s[i-1] == ' '); stop != 0 || out != w {
				break
			}
			i += 8
		}
		for end := i + 8; i < len(s) && i < end; {
			r, size := decodeRune(s, i)
			if r == utf8.RuneError && size == 1 {
				return i
			}
			if f := class(r) & mask; f != 0 && (f != classSpace || r != ' ' || (i > 0 && s[i-1] == ' ')) {
				return i
			}
			i += size
			if r >= utf8.RuneSelf {
				end = i + 8 // after a rune that is not ASCII, others are likely
			}
		}
	}
	return i
}

// cleaner writes the clean text of src to dst, which grows if it is too small.
type cleaner struct {
	Normalizer
	src  string
	at   int
	dst  []byte
	mask uint8
	seg  []byte // buffer of segment
}

func (c *cleaner) run() {
	block := c.asciiBlock()
	for c.at < len(c.src) {
		c.plain(block)
		c.runes()
	}
}

// runes processes eight bytes, one rune at a time.
func (c *cleaner) runes() {
	s, mask := c.src, c.mask
	from := c.at
	for i, end := from, from+8; i < len(s) && i < end; {
		r, size := decodeRune(s, i)
		f := class(r) & mask
		if f == 0 && (r != utf8.RuneError || size > 1) {
			i += size
			c.at = i
			continue
		}
		c.dst = append(c.dst, s[from:i]...)
		c.at = i + size
		c.change(r, f, i)
		i, from = c.at, c.at
	}
	c.dst = append(c.dst, s[from:c.at]...)
}

// change writes the normal form of r, found at src[i:]. c.at is after it, and advances if further runes belong
// to it.
func (c *cleaner) change(r rune, f uint8, i int) {
	switch {
	case f&classStrip != 0:
	case f&classNFKC != 0 && c.does(compatibility):
		if plain := asciiForm(r); plain != 0 {
			c.put(plain)
			return
		}
		if superscript(r) != 0 {
			c.raised(i)
			return
		}
		c.segment(i)
	case f&classNFKC != 0:
		if folded := width.LookupRune(r).Folded(); folded != 0 {
			r = folded
		}
		c.put(r)
	default:
		c.put(r)
	}
}

// asciiForm returns the ASCII character that NFKC makes of r, in the common cases: full-width punctuation and two kinds of
// spaces. It never composes with the preceding rune, like any ASCII character.
func asciiForm(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFEE0
	case r == 0x3000 || r == 0xA0:
		return ' '
	}
	return 0
}

// put writes a rune after the steps lower, simplify and space.
func (c *cleaner) put(r rune) {
	f := class(r) & c.mask
	if f&classLower != 0 {
		if r < utf8.RuneSelf {
			c.dst = append(c.dst, byte(r)|0x20)
			return
		}
		c.lower(r)
		return
	}
	if f&classSimplify != 0 {
		r = simplifications().of(r)
	}
	if f&classSpace != 0 {
		if endsInSpace(c.dst) {
			return
		}
		r = ' '
	}
	c.dst = utf8.AppendRune(c.dst, r)
}

// endsInSpace reports whether a text ends in a space. It also returns true for an empty text, so that no space is written
// at its start.
func endsInSpace(dst []byte) bool { return len(dst) == 0 || dst[len(dst)-1] == ' ' }

// lower writes the lower-case form of r, as Python's str.lower does.
func (c *cleaner) lower(r rune) {
	switch {
	case r == 'İ':
		c.dst = append(c.dst, "i\u0307"...)
	case r == 'Σ' && c.finalSigma():
		c.dst = utf8.AppendRune(c.dst, 'ς')
	default:
		c.dst = utf8.AppendRune(c.dst, unicode.ToLower(r))
	}
}

// finalSigma reports whether a cased letter precedes the end of dst and none follows c.at. It ignores case-ignorable runes
// on both sides.
func (c *cleaner) finalSigma() bool {
	last := bytes.LastIndexFunc(c.dst, func(r rune) bool { return kindOf(r)&kindIgnorable == 0 })
	if last < 0 {
		return false
	}
	if r, _ := utf8.DecodeRune(c.dst[last:]); kindOf(r)&kindCased == 0 {
		return false
	}
	for _, r := range c.src[c.at:] {
		if class(r)&c.mask&classStrip != 0 {
			continue
		}
		if kind := kindOf(r); kind&kindIgnorable == 0 {
			return kind&kindCased == 0
		}
	}
	return true
}

// segment normalises the last starter written, together with the runes from src[i:] up to the next starter.
func (c *cleaner) segment(i int) {
	start := c.lastStarter()
	seg := append(c.seg[:0], c.dst[start:]...)
	c.dst = c.dst[:start]
	for i < len(c.src) {
		r, size := decodeRune(c.src, i)
		f := class(r) & c.mask
		if f&classStrip == 0 {
			if f&classNFKC == 0 || superscript(r) != 0 {
				break
			}
			seg = append(seg, c.src[i:i+size]...)
		}
		i += size
	}
	c.at, c.seg = i, seg
	if c.does(lowerCase) {
		seg = lowerComposed(norm.NFKC.Bytes(seg))
	}
	for _, r := range string(norm.NFKC.Bytes(seg)) {
		c.put(r)
	}
}

// raised writes a run of superscript digits and signs, found at src[i:]. If a number in it follows a digit, it writes ^
// before the number, so that 10³ becomes 10^3 instead of 103.
func (c *cleaner) raised(i int) {
	start, number := len(c.dst), false
	for i < len(c.src) {
		r, size := decodeRune(c.src, i)
		if class(r)&c.mask&classStrip == 0 {
			plain := superscript(r)
			if plain == 0 {
				break
			}
			number = number || isDigit(plain)
			c.put(plain)
		}
		i += size
	}
	c.at = i
	if number && start > 0 && isDigit(rune(c.dst[start-1])) {
		c.dst = slices.Insert(c.dst, start, '^')
	}
}

// superscript returns the NFKC form of a superscript digit or sign, or 0 for other runes.
func superscript(r rune) rune {
	switch {
	case r == '²' || r == '³':
		return r - '²' + '2'
	case r == '¹':
		return '1'
	case r == '⁰' || (r >= '⁴' && r <= '⁹'):
		return r - '⁰' + '0'
	case r == '⁺':
		return '+'
	case r == '⁻':
		return '−'
	}
	return 0
}

// lowerComposed converts every rune but Σ to lower case. It does so before marks are composed, because for example j with
// caron has a code point, but J with caron has none.
func lowerComposed(seg []byte) []byte {
	out := make([]byte, 0, len(seg)+8)
	for _, r := range string(seg) {
		switch {
		case r == 'İ':
			out = append(out, "i\u0307"...)
		case r != 'Σ' && class(r)&classLower != 0:
			out = utf8.AppendRune(out, unicode.ToLower(r))
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// lastStarter returns the offset in dst of the last rune that following marks can combine with. A segment ends before a
// starter, so this is only a rune or two back.
func (c *cleaner) lastStarter() int {
	return max(0, bytes.LastIndexFunc(c.dst, func(r rune) bool { return class(r)&classNFKC == 0 }))
}
