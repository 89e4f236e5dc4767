package token

import (
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// han adds the Chinese words from at on. It stops at the end of the Chinese characters, or where a numeral belongs to
// something else, and returns where.
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
			// The numeral may extend over several words, or end within one, the rest of which is cut again.
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
			return end // because 第3 is 第三
		}
		c.put(word, true)
		p += len(word)
	}
	return end
}

// mostRun limits the bytes of Chinese without a sign that are cut at once.
const mostRun = 1 << 12

// segment appends the words of a run of Chinese characters to dst.
func (c *Cutter) segment(dst []string, s string) []string {
	return c.lexicon.chinese().segmenter.Cut(dst, s, segment.HMM)
}
