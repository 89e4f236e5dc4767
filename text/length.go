package text

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MostNFKC is the factor by which NFKC can lengthen a text: U+FDFA has three bytes and becomes 33.
const MostNFKC = 11

// LenNFKC estimates the number of bytes of the NFKC form of s, with a margin, so that a limit can be checked before the
// work is done. It only decomposes signs that represent several runes, and ignores small changes of length by others.
// O(len(s)), without allocation.
func LenNFKC(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		long := size
		if mayGrow(r) {
			if d := len(norm.NFKC.PropertiesString(s[i:]).Decomposition()); d > 2*size {
				long = d
			}
		}
		n += long
		i += size
	}
	return n
}

// mayGrow returns false for the blocks of letters that most texts consist of and that NFKC keeps.
func mayGrow(r rune) bool {
	return r >= 0x2000 && (r < 0x3400 || r >= 0xd7b0) && r < 0x20000
}
