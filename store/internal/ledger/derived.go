package ledger

import "encoding/binary"

// A leader's text is usually the text of its article in lower case with few other changes. So a log entry stores it as
// parts of the article's text and the bytes between them.

// A difference has at most derivedSkip bytes of the article's text and derivedFresh bytes of the leader's. After it,
// derivedEqual bytes must be equal. A short difference, such as one within a word, needs fewer.
const (
	derivedSkip  = 64
	derivedFresh = 8
	derivedEqual = 8
)

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// lowered8 returns eight bytes in lower case.
func lowered8(s string) uint64 {
	const each = 0x01010101_01010101
	v := binary.LittleEndian.Uint64([]byte(s[:8]))
	low := v & (0x7f * each)
	fromA, pastZ := low+(0x80-'A')*each, low+(0x7f-'Z')*each // the result is in the high bit of each byte
	return v | (fromA^pastZ)&^v&(0x80*each)>>2
}

// common returns how many bytes at the start of to equal those of from in lower case.
func common(from, to string) int {
	n, most := 0, min(len(from), len(to))
	for n+8 <= most && lowered8(from[n:]) == binary.LittleEndian.Uint64([]byte(to[n:n+8])) {
		n += 8
	}
	for n < most && lowered(from[n]) == to[n] {
		n++
	}
	return n
}

// difference returns the lengths of the prefixes of from and to after which both are equal again.
func difference(from, to string) (skip, fresh int) {
	for sum := 1; sum <= derivedSkip+derivedFresh; sum++ {
		for fresh := max(0, sum-derivedSkip); fresh <= min(sum, derivedFresh, len(to)); fresh++ {
			skip := sum - fresh
			if skip > len(from) || (skip < len(from) && fresh < len(to) && lowered(from[skip]) != to[fresh]) {
				continue // this byte decides most cases
			}
			equal := min(derivedEqual, 1+sum, len(to)-fresh)
			if common(from[skip:min(skip+equal, len(from))], to[fresh:]) >= equal {
				return skip, fresh
			}
		}
	}
	return min(derivedFresh, len(from)), min(derivedFresh, len(to))
}

// derivedText codes a text that is mostly equal to another one in lower case.
func derivedText(c *coder, from string, to *string) {
	if c.reads {
		*to = getDerived(c, from)
	} else {
		putDerived(c, from, *to)
	}
}

func putDerived(c *coder, from, to string) {
	c.putUint(uint64(len(to)))
	for len(to) > 0 {
		n := common(from, to)
		from, to = from[n:], to[n:]
		skip, fresh := difference(from, to)
		c.putUint(uint64(n))
		c.putUint(uint64(skip))
		c.putString(to[:fresh])
		from, to = from[skip:], to[fresh:]
	}
}

func getDerived(c *coder, from string) string {
	size := c.getUint()
	if size > maxEntry {
		c.fail("text too long")
		return ""
	}
	var to []byte
	for uint64(len(to)) < size && c.err == nil {
		n := c.getUint()
		if n > uint64(len(from)) {
			c.fail("a copy extends beyond the text")
			return ""
		}
		for _, b := range []byte(from[:n]) {
			to = append(to, lowered(b))
		}
		from = from[n:]
		skip := c.getUint()
		if skip > uint64(len(from)) {
			c.fail("a skip extends beyond the text")
			return ""
		}
		from = from[skip:]
		to = append(to, c.getString()...)
	}
	if uint64(len(to)) != size {
		c.fail("text of the wrong length")
	}
	return string(to)
}
