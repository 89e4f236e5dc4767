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

func skipSpace(s string, at int) int {
	if at < len(s) && s[at] == ' ' {
		at++
	}
	return at
}

// figures takes what begins with the digit clean[at] and returns where it ends:
// a date, a time, a version, an ordinal, a number with what multiplies it, or a
// code.
func (c *Cutter) figures(clean string, at int) int {
	end := digitsEnd(clean, at)
	next := rune(0)
	if end < len(clean) {
		if next = rune(clean[end]); next >= utf8.RuneSelf {
			next, _ = utf8.DecodeRuneInString(clean[end:])
		}
	}
	if end-at <= mostPlain && next != 0 && next != ',' {
		if to := c.dateOrTime(clean, at, end, next); to > at {
			return to
		}
	}
	if to, parts := versionEnd(clean, at); parts >= 3 {
		c.number(clean[at:to], version(clean[at:to]))
		return to
	}
	to := numberEnd(clean, at)
	if to == 0 {
		if word, to := ordinalEnd(clean, at, end); to > end {
			c.nth(clean, at, to, word)
			return to
		}
		if _, zeros := shortScaleEnd(clean, end); zeros > 0 && at > 0 && currencySign(lastRune(clean[:at])) != "" {
			return c.amount(clean, at, end, decimal(clean[at:end]))
		}
		return c.word(clean, at)
	}
	if value := clean[at:to]; strings.HasSuffix(value, "0") && strings.IndexByte(value, '.') >= 0 && c.named(clean, at, to) {
		c.number(value, value)
		return to
	}
	return c.amount(clean, at, to, decimal(clean[at:to]))
}

// named reports whether the decimal clean[at:to] is the version of what stands
// before it, of which 3.10 is no 3.1: 版本, or a word that no amount follows, with no
// sign of an amount behind it.
func (c *Cutter) named(clean string, at, to int) bool {
	if before := strings.TrimSuffix(clean[:at], " "); strings.HasSuffix(before, "版") || strings.HasSuffix(before, "版本") {
		return true
	}
	if len(c.tokens) == 0 || c.wordEnd < 0 || c.wordEnd != at && (c.wordEnd != at-1 || clean[at-1] != ' ') {
		return false
	}
	if last := &c.tokens[len(c.tokens)-1]; last.Number() || beforeAmount().has(last.Text) || beforeAmount().has(base(last.Text)) || listed(last.Text).kind == kindMeasure {
		return false
	}
	if end, zeros := scaleEnd(clean, to); zeros > 0 || strings.HasPrefix(clean[end:], "%") {
		return false
	}
	p := skipSpace(clean, to)
	end := wordAt(clean, p)
	return end == p || listed(clean[p:end]).kind != kindMeasure
}

// nth adds an ordinal: up to twelve it is a word, as it is nearly always
// written, and beyond a number.
func (c *Cutter) nth(clean string, at, end int, digits string) {
	if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n < len(ordinals) {
		c.put(ordinals[n], false)
		return
	}
	c.number(clean[at:end], decimal(digits))
}

// ordinalEnd returns the digits of the ordinal that begins with the digits
// s[at:end], and where it ends; end if it is none.
func ordinalEnd(s string, at, end int) (digits string, to int) {
	if end-at > 3 || end+2 > len(s) || end+2 < len(s) && isWordByte(s[end+2]) {
		return "", end
	}
	switch s[end : end+2] {
	case "st", "nd", "rd", "th":
		return s[at:end], end + 2
	}
	return "", end
}

// versionEnd returns where the digits and points end that begin at s[at], and
// how many parts they have.
func versionEnd(s string, at int) (end, parts int) {
	end, parts = digitsEnd(s, at), 1
	for end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		end = digitsEnd(s, end+1)
		parts++
	}
	return end, parts
}

// version writes a version in one form: a number without a point is one.
func version(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return decimal(s)
	}
	return s
}

// numberEnd returns where the number ends that begins at s[at], a digit: digits
// with separators of thousands and decimals. 0 if letters follow that are no
// unit and no scale, which makes it a code such as 4k.
func numberEnd(s string, at int) int {
	end := digitsEnd(s, at)
	first := end
	for end < len(s) && first-at <= 3 {
		if (s[end] == ',' || s[end] == '\'') && isGroup(s, end+1) {
			end += 4
			continue
		}
		if s[end] == ' ' && s[at] != '0' && isGroup(s, end+1) && (end > first || spacedGroups(s, end)) {
			end += 4
			continue
		}
		break
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
	if _, zeros := scaleEnd(s, end); zeros == 0 && listed(s[end:wordAt(s, end)]).kind != kindMeasure {
		return 0
	}
	return end
}

// isGroup reports whether exactly three digits stand at s[at].
func isGroup(s string, at int) bool {
	return at+2 < len(s) && isDigit(s[at]) && isDigit(s[at+1]) && isDigit(s[at+2]) && (at+3 == len(s) || !isWordByte(s[at+3]))
}

// spacedGroups reports whether two groups with spaces before them begin at s[at]:
// 1 234 567 is a number, and 1 234 may be two.
func spacedGroups(s string, at int) bool {
	return at+4 < len(s) && s[at+4] == ' ' && isGroup(s, at+5)
}

// fractionEnd returns where the number ends that begins with the point s[at], as
// .25 where no word stands before it; 0 if there is none.
func fractionEnd(s string, at int) int {
	if s[at] != '.' || at+1 == len(s) || !isDigit(s[at+1]) {
		return 0
	}
	if r, _ := utf8.DecodeLastRuneInString(s[:at]); at > 0 && (r == '.' || class(r) != classOther) {
		return 0
	}
	end := numberEnd(s, at+1)
	if end == 0 {
		return 0
	}
	if second := strings.IndexByte(s[at+1:end], '.'); second >= 0 {
		return at + 1 + second // .0.0 are two
	}
	return end
}

// shifted multiplies a number in one form by a power of ten.
func shifted(value string, zeros int) string {
	whole, fraction, _ := strings.Cut(value, ".")
	fraction += strings.Repeat("0", max(0, zeros-len(fraction)))
	return decimal(whole + fraction[:zeros] + "." + fraction[zeros:])
}

// decimal writes a number of digits, separators and a point in one form: without
// separators, zeros in front and zeros behind the point.
func decimal(s string) string {
	if strings.ContainsAny(s, ",' ") {
		s = separators.Replace(s)
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s = strings.TrimLeft(s, "0"); s == "" || s[0] == '.' {
		s = "0" + s
	}
	return s
}

var separators = strings.NewReplacer(",", "", "'", "", " ", "")

// numberWords reads the number in words that begins with the word s[at:end], and
// returns its value and where it ends: twenty-one, two hundred and five. What
// multiplies it by thousands is left to amount. "One" is a number before a scale
// only: it is a pronoun more often.
func numberWords(s string, at, end int) (value string, to int) {
	n := smallNumber(s[at:end])
	to = end
	if n >= 20 && n < 100 {
		if p, last := nextWord(s, to, "- "); last > p {
			if unit := smallNumber(s[p:last]); unit >= 1 && unit <= 9 {
				n, to = n+unit, last
			} else if nth := ordinalValue(s[p:last]); nth >= 1 && nth <= 9 && s[to] == '-' {
				return strconv.Itoa(n + nth), last
			}
		}
	}
	if n < 100 {
		if p, last := nextWord(s, to, " "); s[p:last] == "hundred" {
			n, to = 100*n, last
		} else if _, zeros := scaleEnd(s, to); n == 1 && zeros == 0 {
			return "", end
		}
	}
	if n >= 100 && n < 1000 {
		p, last := nextWord(s, to, " ")
		if s[p:last] == "and" {
			p, last = nextWord(s, last, " ")
		}
		if rest := smallNumber(s[p:last]); rest >= 1 && rest < 100 {
			n, to = n+rest, last
			if p, last := nextWord(s, to, "- "); rest >= 20 && last > p {
				if unit := smallNumber(s[p:last]); unit >= 1 && unit <= 9 {
					n, to = n+unit, last
				}
			}
		}
	}
	return strconv.Itoa(n), to
}

// nextWord returns the word behind one of the signs at s[at]; an empty one if
// there is none.
func nextWord(s string, at int, signs string) (from, to int) {
	if at == len(s) || strings.IndexByte(signs, s[at]) < 0 {
		return at, at
	}
	return at + 1, wordAt(s, at+1)
}
