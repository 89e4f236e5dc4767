package ledger

import (
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
)

// flagged codes optional flags, which say whether yes is set and whether pictures follow. A row without either
// has no flags, unless forced.
func flagged(c *coder, forced bool, yes *bool, ps *[]docid.Picture) {
	has := flagsOf(*yes, len(*ps) > 0)
	if c.reads {
		has = 0
	}
	if c.more(forced || has != 0) {
		uints(c, &has)
	}
	if c.reads {
		*yes, *ps = has&flagYes != 0, nil
	}
	if has&flagPictures != 0 {
		list(c, ps, 33, pictureFields)
	}
}

func hashFields(c *coder, h *image.Hash) {
	for i := range h {
		c.fixed(&h[i])
	}
}

func pictureFields(c *coder, p *docid.Picture) {
	hashFields(c, &p.Hash)
	uints(c, &p.Quality)
}

func sameImagesFields(c *coder, s *docid.SameImages) {
	uints(c, &s.Leader)
	uints(c, &s.Same, &s.Of)
	hashFields(c, &s.A)
	hashFields(c, &s.B)
	uints(c, &s.Distance)
}

// picturesOf codes the fields of a proposed change that concern pictures, unless there are none.
func picturesOf(c *coder, ch *docid.Change) {
	var article, leader []docid.Picture
	if ch.Article != nil {
		article = ch.Article.Pictures
	}
	if ch.NewLeader != nil {
		leader = ch.NewLeader.Material.Pictures
	}
	q := &ch.Query
	if !c.more(len(article)+len(leader)+len(q.Rated) > 0) {
		return
	}
	flagged(c, true, new(bool), &article)
	flagged(c, true, new(bool), &leader)
	uints(c, &q.Share)
	list(c, &q.Rated, len(docid.Name{})+1, func(c *coder, r *docid.Rated) {
		c.raw(r.Name[:])
		c.bool(&r.Common)
	})
	if c.reads && ch.Article != nil {
		ch.Article.Pictures = article
	}
	if c.reads && ch.NewLeader != nil {
		ch.NewLeader.Material.Pictures = leader
	}
}
