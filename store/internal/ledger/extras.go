package ledger

import "github.com/neardup/neardup/docid"

// Extras follow the other fields. Rows and entries without extras have no bytes for them.

// Flags of the field before extras.
const (
	flagYes      = 1
	flagPictures = 2
)

func flagsOf(yes, pictures bool) (f uint64) {
	if yes {
		f |= flagYes
	}
	if pictures {
		f |= flagPictures
	}
	return f
}

// extrasFields codes a flag and extras. There are no bytes if neither is set, unless further fields follow.
func extrasFields(c *coder, yes *bool, x *docid.Extras, follow bool) {
	has := flagsOf(*yes, len(x.Pictures) > 0)
	if c.reads {
		has = 0
	}
	if c.more(follow || has != 0) {
		uints(c, &has)
	}
	if c.reads {
		*yes, x.Pictures = has&flagYes != 0, nil
	}
	if has&flagPictures != 0 {
		list(c, &x.Pictures, 33, pictureFields)
	}
}

func hashFields(c *coder, h *[4]uint64) {
	for i := range h {
		c.fixed(&h[i])
	}
}

func pictureFields(c *coder, p *docid.Picture) {
	hashFields(c, (*[4]uint64)(&p.Hash))
	uints(c, &p.Quality)
}

func sameImagesFields(c *coder, s *docid.SameImages) {
	uints(c, &s.Leader)
	uints(c, &s.Same, &s.Of)
	hashFields(c, (*[4]uint64)(&s.A))
	hashFields(c, (*[4]uint64)(&s.B))
	uints(c, &s.Distance)
}

// extrasOf codes what a proposed change says of extras, of its article and of its new leader, or nothing.
func extrasOf(c *coder, ch *docid.Change) {
	article, leader, q := &docid.Extras{}, &docid.Extras{}, &ch.Query
	if ch.Article != nil {
		article = &ch.Article.Extras
	}
	if ch.NewLeader != nil {
		leader = &ch.NewLeader.Material.Extras
	}
	if !c.more(len(article.Pictures)+len(leader.Pictures)+len(q.Rated) > 0) {
		return
	}
	extrasFields(c, new(bool), article, true)
	extrasFields(c, new(bool), leader, true)
	uints(c, &q.Share)
	list(c, &q.Rated, len(docid.Name{})+1, func(c *coder, r *docid.Rated) {
		c.raw(r.Name[:])
		c.bool(&r.Common)
	})
}
