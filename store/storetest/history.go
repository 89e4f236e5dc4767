package storetest

import (
	"cmp"
	"context"
	"slices"

	"github.com/neardup/neardup/docid"
)

// file is what a database of articles does.
func (k *kept) file(d *docid.Delivery) {
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
	k.row(d)
}

// row does what a change does to the table of articles.
func (k *kept) row(d *docid.Delivery) {
	f := k.rows[d.NID]
	switch {
	case d.Kind == docid.KindEnd, d.Kind == docid.KindExpire:
		for nid, f := range k.rows {
			if f.Leader == d.Leader {
				delete(k.rows, nid)
			}
		}
	case f == nil && d.Article != nil && (d.Kind == docid.KindNew || d.Kind == docid.KindDuplicate):
		f = &docid.Filed{Names: d.Names}
		f.Article, f.Leader, f.Seq, f.Disagrees = *d.Article, d.Leader, d.Seq, d.Evidence.Disagrees
		f.Text = ""
		k.rows[d.NID] = f
	case f == nil:
	case d.Kind == docid.KindUpdate:
		if f.Heat = d.Heat; d.Revises() {
			f.Disagrees = d.Evidence.Disagrees
		}
	case d.Kind == docid.KindCorrect, d.Kind == docid.KindDelete:
		delete(k.rows, d.NID)
	}
}

func (k *kept) History(_ context.Context, _ string, after uint64, limit int) ([]docid.Delivery, error) {
	var ds []docid.Delivery
	for _, d := range k.log {
		if d.Seq <= after || len(ds) == limit {
			continue
		}
		revises := d.Revises()
		if d.DocID, d.Article = "", nil; revises {
			d.Article = &docid.Article{}
		} else if a := k.articles[d.Seq]; a != nil {
			b := *a
			d.Article = &b
		}
		ds = append(ds, d)
	}
	return ds, nil
}

func (k *kept) Log(_ context.Context, _ string, after uint64, limit int) ([]docid.Entry, error) {
	var es []docid.Entry
	for _, d := range k.log {
		if d.Seq > after && len(es) < limit {
			es = append(es, d.Entry)
		}
	}
	return es, nil
}

func (k *kept) last() (at uint64) {
	if n := len(k.log); n > 0 {
		at = k.log[n-1].Seq
	}
	return at
}

func (k *kept) Articles(_ context.Context, _ string, nids []string) (found []docid.Filed, at uint64, err error) {
	for _, nid := range nids {
		if f := k.rows[nid]; f != nil {
			found = append(found, *f)
		}
	}
	return found, k.last(), nil
}

func (k *kept) ArticlesOf(_ context.Context, _ string, leader, after uint64, limit int) (found []docid.Filed, at uint64, err error) {
	for _, f := range k.rows {
		if f.Leader == leader && f.Seq > after {
			found = append(found, *f)
		}
	}
	slices.SortFunc(found, func(a, b docid.Filed) int { return cmp.Compare(a.Seq, b.Seq) })
	return found[:min(limit, len(found))], k.last(), nil
}

func (k *kept) ChangesOf(_ context.Context, _ string, leader, after uint64, limit int) (ds []docid.Delivery, err error) {
	for _, d := range k.log {
		if d.Leader == leader && d.Seq > after && len(ds) < limit {
			ds = append(ds, d)
		}
	}
	return ds, nil
}
