package ledger

import "github.com/neardup/neardup/docid"

// Pictures follow the older fields, so rows and entries without pictures keep their older encoding.

// flags reads an optional field of flags, such as that pictures follow.
func (d *decoder) flags() uint64 {
	if !d.more() {
		return 0
	}
	return d.uint()
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

func getSameImages(d *decoder) []docid.SameImages {
	all := make([]docid.SameImages, d.count(68))
	for i := range all {
		s := &all[i]
		s.Leader, s.Same, s.Of = d.uint(), int(d.uint()), int(d.uint())
		s.A, s.B, s.Distance = getHash(d), getHash(d), int(d.uint())
	}
	return all
}

// ofChange holds the fields of a proposed change that concern pictures.
type ofChange struct {
	article, leader []docid.Picture
	rated           []docid.Rated
	share           uint64
}

func picturesOf(c *docid.Change) (p ofChange) {
	if c.Article != nil {
		p.article = c.Article.Pictures
	}
	if c.NewLeader != nil {
		p.leader = c.NewLeader.Material.Pictures
	}
	p.rated, p.share = c.Query.Rated, c.Query.Share
	return p
}

func (p ofChange) any() bool { return len(p.article)+len(p.leader)+len(p.rated) > 0 }

func (p ofChange) put(e *encoder) {
	for _, ps := range [][]docid.Picture{p.article, p.leader} {
		e.uint(flags(false, len(ps) > 0))
		putPictures(e, ps)
	}
	e.uint(p.share)
	e.uint(uint64(len(p.rated)))
	for _, r := range p.rated {
		e.raw(r.Name[:])
		e.bool(r.Common)
	}
}

func getPicturesOf(d *decoder, c *docid.Change) {
	article, leader := getPictures(d, d.uint()), getPictures(d, d.uint())
	if c.Article != nil {
		c.Article.Pictures = article
	}
	if c.NewLeader != nil {
		c.NewLeader.Material.Pictures = leader
	}
	c.Query.Share = d.uint()
	c.Query.Rated = make([]docid.Rated, d.count(len(docid.Name{})+1))
	for i := range c.Query.Rated {
		r := &c.Query.Rated[i]
		copy(r.Name[:], d.raw(len(r.Name)))
		r.Common = d.bool()
	}
}
