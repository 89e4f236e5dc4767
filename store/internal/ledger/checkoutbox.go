package ledger

import "errors"

func (c *checker) sinks() error {
	c.pending = c.head
	if err := c.each(spaceClaim, new(lease), func([]byte) {}); err != nil {
		return err
	}
	var row sinkRow
	return c.each(spaceSink, &row, func(k []byte) {
		c.pending = min(c.pending, row.Seq)
		if row.Seq > c.head || row.Oldest > c.head+1 {
			c.bad(k, "sink at change %d, pending from change %d: out of range (the log ends at %d)", row.Seq, row.Oldest, c.head)
		}
	})
}

// waiting reports pending articles that all sinks have, and pending changes whose article is missing. It reads changes and
// articles side by side, because an epoch may skip trillions of numbers.
func (c *checker) waiting() error {
	next := uint64(0) // the change after the last pending article, or 0 before the first
	complete := func(before uint64) error {
		if next == 0 || next >= before {
			return c.ctx.Err()
		}
		return c.r.Scan(c.ix.key(spaceLog, next), c.ix.key(spaceLog, before), func(k, v []byte) error {
			if e, err := loggedEntry(k, v); err == nil && submission(e.Kind) {
				c.bad(c.ix.key(spaceOutbox, number(k, 0)), "article of a pending change: missing")
			}
			return c.ctx.Err()
		})
	}
	var w waiting
	failed := error(nil)
	err := c.each(spaceOutbox, &w, func(k []byte) {
		seq := number(k, 0)
		switch e, err := c.ix.entry(c.r, seq); {
		case err != nil:
			c.bad(k, "its change is not in the log")
		case w.Article != nil && e.NID != w.Article.ID:
			c.bad(k, "article %q (want %q, as in change %d)", w.Article.ID, e.NID, seq)
		case seq <= c.pending:
			c.bad(k, "pending, although every sink has it")
		}
		failed = errors.Join(failed, complete(seq))
		next = seq + 1
	})
	return errors.Join(err, failed, complete(c.head+1))
}
