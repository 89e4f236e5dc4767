package token

import (
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// word takes the letters and digits from at on and returns where they end.
func (c *Cutter) word(clean string, at int) int {
	end := at
	for end < len(clean) && isWordByte(clean[end]) {
		end++
	}
	next := byte(0)
	if end < len(clean) {
		if next = clean[end]; next >= utf8.RuneSelf {
			end = wordAt(clean, end)
		}
	}
	f := c.find(clean[at:end], false)
	if f.kind <= kindFiller && next < utf8.RuneSelf && next != '\'' && next != '-' && next != '.' {
		c.add(f, clean[at:end], false)
	} else {
		end = c.phrase(clean, at, end, f)
	}
	c.wordEnd = end
	return end
}

// phrase takes a word that is not taken by itself, or may go on behind a sign,
// and returns where what it is part of ends.
func (c *Cutter) phrase(clean string, at, end int, f *form) int {
	if to := hostEnd(clean, at, end); to > end {
		return c.link(clean, at, to)
	}
	if end-at == 1 {
		if abbreviation, to := dotted(clean, at, end); to > end {
			c.put(abbreviation, false)
			return to
		}
	}
	if to := c.contracted(clean, at, end); to > end {
		return to
	}
	if word, to := c.hyphenated(clean, at, end); to > end {
		c.put(word, false)
		return to
	}
	switch f.kind {
	case kindNumber:
		if value, to := numberWords(clean, at, end); value != "" {
			return c.amount(clean, at, to, value)
		}
	case kindMonth:
		if to := c.monthFirst(clean, at, end); to > end {
			return to
		}
	case kindPhrase:
		for word := range strings.SplitSeq(f.text, " ") {
			c.put(word, false)
		}
		return end
	case kindBound: // don t, of which the apostrophe is lost
		if base, found := negated(clean[at:end]); found && strings.HasPrefix(clean[end:], " t") && wordAt(clean, end+1) == end+2 {
			c.put(base, false)
			c.put("not", false)
			return end + 2
		}
	case kindNo: // no. 3
		p := end
		if p < len(clean) && clean[p] == '.' {
			if p = skipSpace(clean, p+1); p < len(clean) && isDigit(clean[p]) {
				return p
			}
		}
	case kindLink:
		if strings.HasPrefix(clean[end:], "://") {
			return c.link(clean, at, end+len("://"))
		}
	case kindCoded:
		return c.coded(clean, at, end, f)
	}
	c.add(f, clean[at:end], false)
	return end
}

// link takes an address of which the host begins, or ends, at from, and returns where it ends. It is
// one word of no weight: a link more says nothing.
func (c *Cutter) link(clean string, at, from int) int {
	end := from
	for end < len(clean) && end < from+mostLink && clean[end] > ' ' && clean[end] < utf8.RuneSelf && strings.IndexByte("<>\"'()", clean[end]) < 0 {
		end++
	}
	for strings.IndexByte(".,;:!?", clean[end-1]) >= 0 {
		end--
	}
	link := clean[at:end]
	c.tokens = append(c.tokens, Token{Hash: xxh3.HashStringSeed(link, c.seed), Text: link, Written: link, Weight: leastWeight, Known: true})
	return end
}

// hostEnd returns where the host of an address without its scheme ends, t.co/x or www.go.dev, of
// which clean[at:end] is the first word; end if it is none.
func hostEnd(clean string, at, end int) int {
	to, dots, last := end, 0, end
	for to+1 < len(clean) && (clean[to] == '.' || clean[to] == '-') && isWordByte(clean[to+1]) {
		if clean[to] == '.' {
			dots, last = dots+1, to+1
		}
		for to++; to < len(clean) && isWordByte(clean[to]); to++ {
		}
	}
	named := dots > 0 && to-last >= 2 && strings.IndexFunc(clean[last:to], func(r rune) bool { return r < 'a' || r > 'z' }) < 0
	if named && (clean[at:end] == "www" || to+1 < len(clean) && clean[to] == '/' && isWordByte(clean[to+1])) {
		return to
	}
	return end
}

// mostLink is the length of an address.
const mostLink = 500

// coded takes a word with digits, and what belongs to it behind points: v5.4.0,
// ios17.1. Of a name of three letters or more with a few digits behind it, ios17,
// the digits are a number.
func (c *Cutter) coded(clean string, at, end int, f *form) int {
	word := clean[at:end]
	first := strings.IndexAny(word, "0123456789")
	plain := first > 0 && digits(word[first:]) == len(word)-first
	if !plain || first > 1 && len(word)-first > mostPlain || first == 2 || first == 1 && word[0] != 'v' {
		c.add(f, word, false)
		return end
	}
	to, _ := versionEnd(clean, at+first)
	if first == 1 && to == end {
		c.add(f, word, false) // v5
		return end
	}
	if first > 1 {
		c.put(word[:first], false)
	}
	c.number(clean[at+first:to], version(clean[at+first:to]))
	return to
}

// dotted returns the abbreviation of single letters that begins with the word
// clean[at:end], without its points, and where it ends: u.s. is us.
func dotted(clean string, at, end int) (word string, to int) {
	if end-at != 1 || !isLower(clean[at]) {
		return "", end
	}
	for to = at; to < at+2*mostDotted && to+1 < len(clean) && isLower(clean[to]) && clean[to+1] == '.'; {
		to += 2
	}
	if to > at && to < len(clean) && isLower(clean[to]) && wordAt(clean, to) == to+1 {
		to++ // u.s, of which the last point is lost
	}
	if to < at+3 || wordAt(clean, to) > to {
		return "", end
	}
	word = strings.ReplaceAll(clean[at:to], ".", "")
	return word, to
}

// mostDotted is how many letters an abbreviation has at most.
const mostDotted = 8

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

// apostrophes are the two signs that leave letters out.
const curly = "’"

// contracted takes a word and what an apostrophe binds to it, don't as do not
// and it's as it is, and returns where they end; end where nothing is bound. The
// s of a possessive is no word.
func (c *Cutter) contracted(clean string, at, end int) int {
	p := end
	switch {
	case strings.HasPrefix(clean[end:], "'"):
		p++
	case strings.HasPrefix(clean[end:], curly):
		p += len(curly)
	default:
		return end
	}
	to := wordAt(clean, p)
	word, bound := clean[at:end], clean[p:to]
	switch bound {
	case "s":
		c.put(word, false)
		switch {
		case word == "let":
			c.put("us", false)
		case isSubject(word):
			c.put("is", false)
		}
		return to
	case "t":
		if base, found := negated(word); found {
			c.put(base, false)
			c.put("not", false)
			return to
		}
	case "re", "ll", "ve", "m", "d":
		c.put(word, false)
		c.put(boundWords[bound], false)
		return to
	}
	return end
}

// hyphenated returns the word that a hyphen at the end of a line has parted,
// infor- mation, if the table has it, or lacks one of the parts.
func (c *Cutter) hyphenated(clean string, at, end int) (word string, to int) {
	if !strings.HasPrefix(clean[end:], "- ") || end+2 == len(clean) || !isLower(clean[end+2]) || end-at < 2 || end-at > longestWord {
		return "", end
	}
	to = wordAt(clean, end+2)
	if to-end-2 < 2 || to-at > longestWord {
		return "", end
	}
	first, second := clean[at:end], clean[end+2:to]
	if word = first + second; !c.has(word) && (c.has(first) && c.has(second) || second == "and" || second == "or" || second == "to") {
		return "", end
	}
	return word, to
}

// mostPlain is how many digits a number has at most that is no telephone number,
// account or code.
const mostPlain = 4

func digits(word string) (n int) {
	for i := range len(word) {
		if isDigit(word[i]) {
			n++
		}
	}
	return n
}

func hasDigit(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return '0' <= r && r <= '9' }) >= 0
}
