package token

import (
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// han takes the Chinese characters from at on, numerals apart, and returns
// where they end, or what a numeral among them is part of.
func (c *Cutter) han(clean string, at int) int {
	end := at
	for end < len(clean) && end < at+mostRun {
		r, size := utf8.DecodeRuneInString(clean[end:])
		if class(r) != classHan {
			break
		}
		end += size
	}
	c.words = c.segment(c.words[:0], clean[at:end])
	for p, i := at, 0; i < len(c.words); i++ {
		word := c.words[i]
		if to := c.hanNumber(clean, p, end); to > p {
			if to >= end {
				return to
			}
			// The numeral may reach over several words, or end within one, of which the rest is cut again.
			for p += len(word); p < to; {
				i++
				p += len(c.words[i])
			}
			if p > to {
				for _, rest := range c.segment(nil, clean[to:p]) {
					c.put(rest, true)
				}
			}
			continue
		}
		if p+len(word) == end && word == ordinal && end < len(clean) && isDigit(clean[end]) {
			return end // 第3 is 第三
		}
		c.put(word, true)
		p += len(word)
	}
	return end
}

// mostRun is how many bytes of Chinese without a sign are cut at once.
const mostRun = 1 << 12

// segment appends the words of Chinese characters to dst.
func (c *Cutter) segment(dst []string, s string) []string {
	return c.lexicon.chinese().segmenter.Cut(dst, s, segment.HMM)
}
