package ledger

func (c *checker) sinks() error {
	c.pending = c.head
	if err := c.each(spaceClaim, func(d *decoder) { new(claim).get(d) }, func([]byte) {}); err != nil {
		return err
	}
	var row sinkRow
	return c.each(spaceSink, func(d *decoder) { row = sinkRow{}; row.get(d) }, func(k []byte) {
		c.pending = min(c.pending, row.seq)
		if row.seq > c.head || row.oldest > c.head+1 {
			c.bad(k, "has change %d, and waits from %d on; the log ends with %d", row.seq, row.oldest, c.head)
		}
	})
}

// waiting: no article waits that all sinks have, and from the first that waits
// on, each that came with a change does.
func (c *checker) waiting() error {
	next := uint64(0)
	complete := func(before uint64) {
		for ; next > 0 && next < before; next++ {
			if e, err := c.ix.entry(c.r, next); err == nil && submission(e.Kind) {
				c.bad(c.ix.key(spaceOutbox, next), "the article of a change that waits is missing")
			}
		}
		next = before + 1
	}
	var w waiting
	err := c.each(spaceOutbox, func(d *decoder) { w = waiting{}; w.get(d) }, func(k []byte) {
		seq := number(k, 0)
		switch e, err := c.ix.entry(c.r, seq); {
		case err != nil:
			c.bad(k, "waits for no change")
		case w.article != nil && e.NID != w.article.ID:
			c.bad(k, "is article %q, change %d is of %q", w.article.ID, seq, e.NID)
		case seq <= c.pending:
			c.bad(k, "waits, but every sink has it")
		}
		complete(seq)
	})
	if next > 0 {
		complete(c.head + 1)
	}
	return err
}
