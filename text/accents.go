package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// withoutAccents drops accents. If an accent stood by itself, two spaces may become adjacent.
func withoutAccents(s string) string {
	return strings.Map(func(r rune) rune {
		if isAccent(r) {
			return -1
		}
		return Unaccented(r)
	}, s)
}

func isAccent(r rune) bool { return kindOf(r)&kindAccent != 0 }

// Unaccented returns a Latin or Greek letter without its accents, and any other rune unchanged.
func Unaccented(r rune) rune {
	if kindOf(r)&kindAccented == 0 {
		return r
	}
	var buf [utf8.UTFMax]byte
	if d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition(); len(d) > 0 {
		r, _ = utf8.DecodeRune(d)
	}
	return r
}
