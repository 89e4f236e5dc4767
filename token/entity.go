package token

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// references are the references by name that plain text holds where a page was
// turned into text by half.
var references = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\'', "nbsp": ' ',
	"mdash": '—', "ndash": '–', "hellip": '…', "lsquo": '‘', "rsquo": '’', "ldquo": '“', "rdquo": '”', "laquo": '«', "raquo": '»', "middot": '·',
	"bull": '•', "copy": '©', "reg": '®', "trade": '™', "deg": '°', "times": '×', "euro": '€', "pound": '£', "yen": '¥', "eacute": 'é', "egrave": 'è',
	"agrave": 'à', "aacute": 'á', "iacute": 'í', "oacute": 'ó', "uacute": 'ú', "ntilde": 'ñ', "ccedil": 'ç', "auml": 'ä', "ouml": 'ö', "uuml": 'ü', "szlig": 'ß',
}

// unescape replaces the character references of HTML in a text by their characters: kr&#246;ger becomes kröger.
// Most texts have none and stay unchanged.
func unescape(clean string) string {
	if strings.IndexByte(clean, '&') < 0 {
		return clean
	}
	var b strings.Builder
	rest, replaced := clean, false
	for {
		before, after, found := strings.Cut(rest, "&")
		b.WriteString(before)
		if !found {
			break
		}
		if r, n := reference(after); n > 0 {
			b.WriteString(string(r))
			rest, replaced = after[n:], true
			continue
		}
		b.WriteByte('&')
		rest = after
	}
	if !replaced {
		return clean
	}
	return text.Default().Clean(b.String()) // a reference may be to a capital letter
}

// mostReference is the length of the longest reference without its ampersand.
const mostReference = 9

// reference reads a reference after its ampersand, and returns its rune and its length, or 0 for none.
func reference(s string) (rune, int) {
	end := strings.IndexByte(s[:min(len(s), mostReference)], ';')
	if end < 2 {
		return 0, 0
	}
	name := s[:end]
	if r, found := references[name]; found {
		return r, end + 1
	}
	if name[0] != '#' {
		return 0, 0
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), end + 1
}
