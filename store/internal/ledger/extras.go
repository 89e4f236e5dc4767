package ledger

import "github.com/neardup/neardup/docid"

// Extras follow the other fields. Rows and entries without extras have no bytes for them.

// Flags of the field before extras.
const (
	flagYes      = 1
	flagPictures = 2
)

// putExtras writes a flag and extras. It writes nothing if neither is set, unless further fields follow.
func putExtras(e *encoder, yes bool, x *docid.Extras, follow bool) {
	if yes || len(x.Pictures) > 0 || follow {
		e.uint(flags(yes, len(x.Pictures) > 0))
	}
	putPictures(e, x.Pictures)
}

// getExtras reads what putExtras has written.
func getExtras(d *decoder, x *docid.Extras) (yes bool) {
	has := uint64(0)
	if d.more() {
		has = d.uint()
	}
	x.Pictures = getPictures(d, has)
	return has&flagYes != 0
}

func flags(yes, pictures bool) (f uint64) {
	if yes {
		f |= flagYes
	}
	if pictures {
		f |= flagPictures
	}
	return f
}

func putHash(e *encoder, h [4]uint64) {
	for _, word := range h {
		e.fixed(word)
	}
}

func getHash(d *decoder) (h [4]uint64) {
	for i := range h {
		h[i] = d.fixed()
	}
	return h
}

// putPictures writes nothing if there are no pictures, because a flag says so.
func putPictures(e *encoder, ps []docid.Picture) {
	if len(ps) == 0 {
		return
	}
	e.uint(uint64(len(ps)))
	for _, p := range ps {
		putHash(e, p.Hash)
		e.uint(uint64(p.Quality))
	}
}

func getPictures(d *decoder, has uint64) []docid.Picture {
	if has&flagPictures == 0 {
		return nil
	}
	ps := make([]docid.Picture, d.count(33))
	for i := range ps {
		ps[i] = docid.Picture{Hash: getHash(d), Quality: int(d.uint())}
	}
	return ps
}

func putSameImages(e *encoder, all []docid.SameImages) {
	if len(all) == 0 {
		return
	}
	e.uint(uint64(len(all)))
	for _, s := range all {
		e.uint(s.Leader)
		e.uint(uint64(s.Same))
		e.uint(uint64(s.Of))
		putHash(e, s.A)
		putHash(e, s.B)
		e.uint(uint64(s.Distance))
	}
}

func getSameImages(d *decoder, has uint64) []docid.SameImages {
	if has&flagPictures == 0 {
		return nil
	}
	all := make([]docid.SameImages, d.count(68))
	for i := range all {
		s := &all[i]
		s.Leader, s.Same, s.Of = d.uint(), int(d.uint()), int(d.uint())
		s.A, s.B, s.Distance = getHash(d), getHash(d), int(d.uint())
	}
	return all
}

// extrasOf returns the extras of a proposed change: of its article and of its new leader.
func extrasOf(c *docid.Change) (all [2]*docid.Extras) {
	all = [2]*docid.Extras{{}, {}}
	if c.Article != nil {
		all[0] = &c.Article.Extras
	}
	if c.NewLeader != nil {
		all[1] = &c.NewLeader.Material.Extras
	}
	return all
}

// putExtrasOf writes what a proposed change says of extras, or nothing.
func putExtrasOf(e *encoder, c *docid.Change) {
	all, rated := extrasOf(c), c.Query.Rated
	if len(all[0].Pictures)+len(all[1].Pictures)+len(rated) == 0 {
		return
	}
	for _, x := range all {
		putExtras(e, false, x, true)
	}
	e.uint(c.Query.Share)
	e.uint(uint64(len(rated)))
	for _, r := range rated {
		e.raw(r.Name[:])
		e.bool(r.Common)
	}
}

func getExtrasOf(d *decoder, c *docid.Change) {
	for _, x := range extrasOf(c) {
		getExtras(d, x)
	}
	c.Query.Share = d.uint()
	c.Query.Rated = make([]docid.Rated, d.count(len(docid.Name{})+1))
	for i := range c.Query.Rated {
		r := &c.Query.Rated[i]
		copy(r.Name[:], d.raw(len(r.Name)))
		r.Common = d.bool()
	}
}
