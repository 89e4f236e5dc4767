package ledger

import (
	"cmp"
	"maps"
	"slices"
)

// segments checks that every segment is complete: its chunks are in order, and the numbers of postings and
// words match its header. A crash may leave rows without a header, which the next start removes.
func (c *checker) segments() error {
	headers := map[uint64]*header{}
	var h header
	err := c.each(spaceSegment, &h, func(k []byte) {
		if h.To > c.head {
			c.bad(k, "postings up to change %d (the log ends at %d)", h.To, c.head)
		}
		copied := h
		headers[number(k, 0)] = &copied
	})
	if err != nil {
		return err
	}
	err = scan(c.r, c.ix.key(spacePosting), func(k, v []byte) error {
		c.row()
		h, last := headers[number(k, 0)], uint64(0)
		if h == nil {
			h = new(header) // rows of a segment that a crash left
		}
		var err error
		if number(k, 1) >= firstPiece {
			var words []uint64
			err = decode(k, v, &words)
			h.Words -= len(words)
		} else {
			h.Chunks--
			err = decodeChunk(k, v, func(p segmented) bool {
				if p.key < last {
					c.bad(k, "postings out of order")
				}
				last = p.key
				h.Postings--
				return true
			})
		}
		if err != nil {
			c.bad(k, "%v", err)
		}
		return c.ctx.Err()
	})
	last := uint64(0)
	for _, n := range slices.SortedFunc(maps.Keys(headers), func(a, b uint64) int { return cmp.Compare(headers[a].To, headers[b].To) }) {
		h := headers[n]
		if h.From != last {
			c.bad(c.ix.key(spaceSegment, n), "no segment holds the postings of changes %d to %d", last+1, h.From)
		}
		last = h.To
		if h.Postings != 0 || h.Chunks != 0 || h.Words != 0 {
			c.bad(c.ix.key(spaceSegment, n), "incomplete (neardup rebuild restores the postings)")
		}
	}
	return err
}
