package token

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func digitsEnd(s string, at int) int {
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

// figures adds the token that begins with the digit clean[at]: a version, an ordinal, a number or a code. It returns where
// the token ends.
func (c *Cutter) figures(clean string, at int) int {
	if to, parts := versionEnd(clean, at); parts >= 3 {
		c.number(clean[at:to], clean[at:to])
		return to
	}
	to := numberEnd(clean, at)
	if to == 0 {
		return c.word(clean, at)
	}
	value, end := scaled(decimal(clean[at:to]), clean, to)
	c.number(clean[at:end], value)
	to = end
	if n := len(c.tokens) - 2; n >= 0 && c.tokens[n].Kind == Measure && endsAt(clean, at, c.tokens[n].Written) {
		c.tokens[n], c.tokens[n+1] = c.tokens[n+1], c.tokens[n] // $5 becomes 5 dollars
	}
	return to
}

// scaled multiplies a number by the 万 or 亿 at s[at], and returns where that ends. For example, 3.5亿 is 350000000.
func scaled(value, s string, at int) (product string, end int) {
	r, size := utf8.DecodeRuneInString(s[at:])
	zeros := 0
	switch r {
	case '万':
		zeros = 4
	case '亿':
		zeros = 8
	}
	whole, fraction, _ := strings.Cut(value, ".")
	if zeros == 0 || len(fraction) > zeros {
		return value, at
	}
	return decimal(whole + fraction + strings.Repeat("0", zeros-len(fraction))), at + size
}

// versionEnd returns the end of the digits and points that begin at s[at], and the number of parts.
func versionEnd(s string, at int) (end, parts int) {
	end, parts = digitsEnd(s, at), 1
	for end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		end = digitsEnd(s, end+1)
		parts++
	}
	return end, parts
}

// numberEnd returns the end of the number that begins with the digit s[at], including thousands separators and decimals. It
// returns 0 if letters follow that are neither a unit nor a scale, because such a number is a code (4k).
func numberEnd(s string, at int) int {
	end := digitsEnd(s, at)
	first := end
	for end < len(s) && first-at <= 3 && (s[end] == ',' || s[end] == '\'') && isGroup(s, end+1) {
		end += 4
	}
	separated := end > first
	if end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		separated = true
		end = digitsEnd(s, end+1)
	}
	if end == len(s) || separated {
		return end
	}
	if b := s[end]; b < utf8.RuneSelf {
		if ascii[b] != classLetter {
			return end
		}
	} else if r, _ := utf8.DecodeRuneInString(s[end:]); class(r) != classLetter {
		return end
	}
	if listed(s[end:wordAt(s, end)]).kind != Measure {
		return 0
	}
	return end
}

// isGroup reports whether exactly three digits are at s[at].
func isGroup(s string, at int) bool {
	return at+2 < len(s) && isDigit(s[at]) && isDigit(s[at+1]) && isDigit(s[at+2]) && (at+3 == len(s) || !isWordByte(s[at+3]))
}

// decimal converts a number to one form, without separators and leading zeros. Zeros after the point stay, because version
// 3.10 is not 3.1.
func decimal(s string) string {
	if strings.ContainsAny(s, ",'") {
		s = separators.Replace(s)
	}
	s = strings.TrimLeft(s, "0")
	if s == "" || s[0] == '.' {
		s = "0" + s
	}
	return s
}

var separators = strings.NewReplacer(",", "", "'", "")

// numberWords parses the number in words that begins with the word s[at:end], such as twenty-one or two hundred and five.
// It returns the value and the end. Thousands are a separate word. "One" is only a number before hundred, because it is
// usually a pronoun.
func numberWords(s string, at, end int) (value string, to int) {
	n := numberValues[s[at:end]]
	to = end
	if n >= 20 && n < 100 {
		if p, last := nextWord(s, to, "- "); last > p {
			if unit := numberValues[s[p:last]]; unit >= 1 && unit <= 9 {
				n, to = n+unit, last
			} else if nth := ordinalValues[s[p:last]]; nth >= 1 && nth <= 9 && s[to] == '-' {
				return strconv.Itoa(n + nth), last
			}
		}
	}
	if n < 100 {
		if p, last := nextWord(s, to, " "); s[p:last] == "hundred" {
			n, to = 100*n, last
		} else if n == 1 {
			return "", end
		}
	}
	if n >= 100 && n < 1000 {
		p, last := nextWord(s, to, " ")
		if s[p:last] == "and" {
			p, last = nextWord(s, last, " ")
		}
		if rest := numberValues[s[p:last]]; rest >= 1 && rest < 100 {
			n, to = n+rest, last
			if p, last := nextWord(s, to, "- "); rest >= 20 && last > p {
				if unit := numberValues[s[p:last]]; unit >= 1 && unit <= 9 {
					n, to = n+unit, last
				}
			}
		}
	}
	return strconv.Itoa(n), to
}

// nextWord returns the word after one of the given signs at s[at], or an empty one.
func nextWord(s string, at int, signs string) (from, to int) {
	if at == len(s) || strings.IndexByte(signs, s[at]) < 0 {
		return at, at
	}
	return at + 1, wordAt(s, at+1)
}
