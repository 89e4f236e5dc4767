package token

import (
	"strings"
	"unicode/utf8"
)

// word adds the letters and digits from at on as tokens, and returns where they end.
func (c *Cutter) word(clean string, at int) int {
	end := at
	for end < len(clean) && isWordByte(clean[end]) {
		end++
	}
	next := byte(0)
	if end < len(clean) {
		next = clean[end]
		if next >= utf8.RuneSelf {
			end = wordAt(clean, end)
		}
	}
	f := c.find(clean[at:end], false)
	if f.list <= listFiller && f.kind != Code && !goesOn(next) {
		c.add(f, clean[at:end], false)
		return end
	}
	return c.phrase(clean, at, end, f)
}

// goesOn reports whether a word may continue after a byte. 0 stands for the end of the text.
func goesOn(b byte) bool {
	return b >= utf8.RuneSelf || (b > ' ' && strings.IndexByte("'-.:@_/+#", b) >= 0)
}

// phrase adds a word that may continue, or that stands for several words, and returns where it ends.
func (c *Cutter) phrase(clean string, at, end int, f *form) int {
	if to := linkEnd(clean, at, end); to > end {
		if !c.whole && strings.IndexByte(clean[at:to], '@') < 0 {
			c.skipped = true
			return to
		}
		c.fact(Code, clean[at:to], clean[at:to])
		return to
	}
	if to := c.contracted(clean, at, end); to > end {
		return to
	}
	switch f.list {
	case listNumber:
		if value, to := numberWords(clean, at, end); value != "" {
			c.number(clean[at:to], value)
			return to
		}
	case listPhrase:
		c.putAll(f)
		return end
	}
	if f.kind == Code {
		return c.coded(clean, at, end, f)
	}
	c.add(f, clean[at:end], false)
	return end
}

// putAll adds the words of a phrase.
func (c *Cutter) putAll(f *form) {
	for word := range strings.SplitSeq(f.text, " ") {
		c.put(word, false)
	}
}

// coded adds a word with digits, and the parts after points that belong to it: v5.4.0, ios17.1. If a name has at least
// three letters and few digits after them (ios17), the digits are a number.
func (c *Cutter) coded(clean string, at, end int, f *form) int {
	word := clean[at:end]
	first := strings.IndexAny(word, "0123456789")
	plain := first > 0 && digitsEnd(word, first) == len(word)
	if !plain || (first > 1 && len(word)-first > mostPlain) || first == 2 || (first == 1 && word[0] != 'v') {
		c.add(f, word, false)
		return end
	}
	to, _ := versionEnd(clean, at+first)
	if first == 1 && to == end {
		c.add(f, word, false) // as in v5
		return end
	}
	if first > 1 {
		c.put(word[:first], false)
	}
	c.number(clean[at+first:to], decimal(clean[at+first:to]))
	return to
}

// contracted adds a word and what an apostrophe binds to it, such as don't as do not. It returns where they end, or end if
// nothing is bound. The rest of is, are, will, have, am or would has no weight, nor has the s of a possessive.
func (c *Cutter) contracted(clean string, at, end int) int {
	sign, size := utf8.DecodeRuneInString(clean[end:])
	if sign != '\'' && sign != '’' {
		return end
	}
	to := wordAt(clean, end+size)
	word := clean[at:end]
	switch clean[end+size : to] {
	case "t":
		if f := c.find(word+"t", false); f.list == listPhrase {
			c.putAll(f)
			return to
		}
	case "s", "re", "ll", "ve", "m", "d":
		c.put(word, false)
		return to
	}
	return end
}

// mostPlain is the largest number of digits of a number that is not a telephone number, account or code.
const mostPlain = 4

func hasDigit(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return '0' <= r && r <= '9' }) >= 0
}
