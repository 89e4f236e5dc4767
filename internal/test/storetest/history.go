package storetest

import (
	"context"

	"github.com/neardup/neardup/docid"
)

// file stores an article, like a database of articles.
func (k *history) file(d *docid.Delivery) {
	switch d.Kind {
	case docid.KindNew, docid.KindDuplicate:
		if d.Article != nil {
			a := *d.Article
			a.Text = ""
			k.articles[d.Seq] = &a
		}
	case docid.KindDelete:
		for seq, a := range k.articles {
			if a.ID == d.NID {
				delete(k.articles, seq)
			}
		}
	}
}

func (k *history) History(_ context.Context, _ string, after uint64, limit int) ([]docid.Delivery, error) {
	var ds []docid.Delivery
	for _, d := range k.log {
		if d.Seq <= after || len(ds) == limit {
			continue
		}
		revises := d.Revises()
		d.DocID, d.Article = "", nil
		if revises {
			d.Article = &docid.Article{}
		} else if a := k.articles[d.Seq]; a != nil {
			b := *a
			d.Article = &b
		}
		ds = append(ds, d)
	}
	return ds, nil
}

func (k *kept) last() (at uint64) {
	if n := len(k.log); n > 0 {
		at = k.log[n-1].Seq
	}
	return at
}
