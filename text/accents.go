package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// withoutAccents drops accents. With spaces, it leaves one space where an accent stood between two.
func withoutAccents(s string, spaces bool) string {
	at := strings.IndexFunc(s, hasAccent)
	if at < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:at]...)
	for _, r := range s[at:] {
		if (spaces && r == ' ' && endsInSpace(out)) || isAccent(r) {
			continue
		}
		out = utf8.AppendRune(out, Unaccented(r))
	}
	if spaces && len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return string(out)
}

func hasAccent(r rune) bool { return isAccent(r) || Unaccented(r) != r }

func isAccent(r rune) bool { return kindOf(r)&kindAccent != 0 }

// Unaccented returns the letter of a Latin or Greek rune without its accents, and any other rune as it is.
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
