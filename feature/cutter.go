package feature

// Cutter gives the hashes that Append would give, a block at a time, so that
// those of a long text stay in the first cache. Not for concurrent use.
type Cutter struct {
	shingle Shingle
	keys    keys
	buf     []uint64
	text    string // what is left
	begun   bool   // some shingles have been given
	done    bool
}

// cutterBlock is the number of runes in a block, about.
const cutterBlock = 1024

// NewCutter returns a Cutter without a text.
func NewCutter(s Shingle, seed uint64) *Cutter {
	return &Cutter{shingle: s, keys: newKeys(seed), done: true}
}

// Cut begins with a clean text.
func (c *Cutter) Cut(clean string) {
	c.text, c.begun, c.done = clean, false, c.shingle.K < 1 || c.shingle.K > MaxK
}

// Next returns the hashes of the next shingles, none at the end. They are
// overwritten by the next call. Words are few, and come in one block.
func (c *Cutter) Next() []uint64 {
	if c.done {
		return nil
	}
	if c.shingle.Unit != Runes {
		c.done = true
		c.buf = appendWords(c.buf[:0], c.text, &c.keys, c.shingle.Unit)
		return c.buf[:c.keys.joinWords(c.buf, c.shingle.K)]
	}
	return c.nextRunes()
}

// nextRunes keeps the last runes of a block behind the shingles for the next.
func (c *Cutter) nextRunes() []uint64 {
	if c.buf == nil {
		c.buf = make([]uint64, cutterBlock+room+MaxK)
	}
	before := c.shingle.K - 1
	n := 0
	if c.begun {
		n = copy(c.buf, c.buf[cutterBlock+room:][:before])
	}
	for len(c.text) > 0 && n < cutterBlock {
		m, used := fillRunes((*[room]uint64)(c.buf[n:n+room]), c.text)
		n += m
		c.text = c.text[used:]
	}
	c.done = len(c.text) == 0
	if c.begun && n <= before {
		return nil
	}
	c.begun = true
	if !c.done {
		copy(c.buf[cutterBlock+room:][:before], c.buf[n-before:n])
	}
	return c.buf[:c.keys.joinRunes(c.buf[:n], c.shingle.K)]
}
