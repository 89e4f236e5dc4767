package text

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MostNFKC is how many times longer NFKC can make a text: U+FDFA, of three
// bytes, becomes 33.
const MostNFKC = 11

// LenNFKC estimates how many bytes NFKC makes of s, with a margin, so that a limit can be checked before the
// work is done. It decomposes only signs that represent several. Small changes of length by other runes are
// ignored. O(len(s)), no allocation.
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

// mayGrow excludes the blocks of letters that most texts consist of and that NFKC keeps.
func mayGrow(r rune) bool {
	return r >= 0x2000 && (r < 0x3400 || r >= 0xd7b0) && r < 0x20000
}
