package ledger

import (
	"github.com/neardup/neardup/docid"
)

// imageCheck holds an image to the rows: what it says of docIds that no later
// change has touched, and that it knows every nid and idempotency key.
type imageCheck struct {
	image
	touched map[uint64]bool
	left    []imaged // docIds of it, in order
	known   *knownRows
}

// imaged is a docId as an image has it.
type imaged struct {
	seq, sketch uint64
	time, size  int64
}

// findImage reads the header of the image; nil if there is none that can be held
// to anything. What is damaged was reported.
func (c *checker) findImage() (*imageCheck, error) {
	var found *imageCheck
	h := image{}
	err := c.each(spaceImage, func(d *decoder) { h.get(d) }, func(k []byte) {
		if number(k, 0) != 0 {
			c.bad(k, "is no image")
			return
		}
		found = &imageCheck{image: h, touched: map[uint64]bool{}, known: newKnownRows(h.seed)}
	})
	return found, err
}

// note notes what a change after the image has touched.
func (i *imageCheck) note(e *docid.Entry) {
	if i != nil && e.Seq > i.to {
		touches(e, i.touched)
	}
}

// images holds the image to the rows. Pieces that it does not count are those of the one before,
// or what a crash left of the next.
func (c *checker) images() error {
	i := c.image
	if i == nil {
		return nil
	}
	key := c.ix.imageKey()
	if sum, err := c.ix.entrySum(c.r, i.to); err != nil || sum != i.entry {
		c.bad(key, "is of change %d in another log", i.to)
		return nil
	}
	if whole, err := c.imagePieces(i); err != nil || !whole {
		return err
	}
	if err := c.imageLeaders(i); err != nil {
		return err
	}
	for nid, j := range c.members {
		if j.seq <= i.to && !i.known.has(nidKey(c.ix.id, nid)) {
			c.bad(key, "does not know the article %q", nid)
		}
	}
	for idem, seq := range c.idem {
		if seq <= i.to && !i.known.has(idemKey(c.ix.id, idem)) {
			c.bad(key, "does not know the idempotency key %q", idem)
		}
	}
	return nil
}

// imagePieces reads the pieces and reports whether the image is whole.
func (c *checker) imagePieces(i *imageCheck) (whole bool, err error) {
	read := image{number: i.number, to: i.to, entry: i.entry, seed: i.seed}
	prefix := c.ix.key(spaceImagePiece)
	err = c.r.Scan(prefix, after(prefix), func(k, v []byte) error {
		c.row()
		own := number(k, 0) == i.number%2 && number(k, 1) < i.pieces
		err := decodePiece(k, v, func(d *decoder) error {
			if own {
				return i.piece(d, &read)
			}
			d.b = nil
			return nil
		})
		switch {
		case err != nil:
			c.bad(k, "%v", err)
		case own:
			read.chain(v)
		}
		return c.ctx.Err()
	})
	if whole = read == i.image; !whole {
		c.bad(c.ix.imageKey(), "is not whole: it is not used, and the next one takes its place")
	}
	return whole, err
}

// piece reads a piece.
func (i *imageCheck) piece(d *decoder, read *image) error {
	if read.leaders == i.leaders {
		n, err := i.known.load(d)
		read.prints += uint64(n)
		return err
	}
	return eachLeader(d, func(l *leader) error {
		read.leaders++
		i.left = append(i.left, imaged{l.seq, l.sketch, l.time, l.size.Load()})
		return nil
	})
}

// imageLeaders holds the docIds of an image to their rows and to the articles that
// the log tells of.
func (c *checker) imageLeaders(i *imageCheck) error {
	sizes := make(map[uint64]int64, len(c.leaders))
	for _, j := range c.members {
		sizes[j.leader]++
	}
	var row leaderRow
	prefix := c.ix.key(spaceLeader)
	err := c.r.Scan(prefix, c.ix.key(spaceLeader, i.to+1), func(k, v []byte) error {
		seq := number(k, 0)
		if err := decode(k, v, row.getShort); err != nil { // reported with the leaders
			return c.ctx.Err()
		}
		for len(i.left) > 0 && i.left[0].seq < seq {
			c.stale(i)
		}
		want := imaged{seq, row.sketch, row.time, sizes[seq]}
		switch {
		case len(i.left) == 0 || i.left[0].seq != seq:
			if !i.touched[seq] {
				c.bad(c.ix.imageKey(), "leaves out leader %d", seq)
			}
			return c.ctx.Err()
		case !i.touched[seq] && i.left[0] != want:
			c.bad(c.ix.imageKey(), "has leader %d otherwise than its rows", seq)
		}
		i.left = i.left[1:]
		return c.ctx.Err()
	})
	for err == nil && len(i.left) > 0 {
		c.stale(i)
	}
	return err
}

// stale takes away a docId of an image that has no row: it must have ended since.
func (c *checker) stale(i *imageCheck) {
	if seq := i.left[0].seq; !i.touched[seq] {
		c.bad(c.ix.imageKey(), "has leader %d, which has no row", seq)
	}
	i.left = i.left[1:]
}
