package docid

import (
	"context"
	"fmt"
)

// complete adds to deliveries the parts that the outbox does not store because they follow from the rest: docIds, names,
// and the clean texts of leaders. If the outbox stored nothing for the sink, complete takes the parts that the index still
// has.
func (r *Relay) complete(ctx context.Context, ds []Delivery) error {
	_, leaders := r.sink.(Library)
	for i := range ds {
		d := &ds[i]
		if d.Kind == KindEpoch {
			var err error
			d.Before, err = r.before(ctx, d.Seq)
			if err != nil {
				return fmt.Errorf("find the change before epoch %d: %w", d.Seq, err)
			}
			if err := r.d.learnEpochs(ctx); err != nil {
				return err
			}
		}
		d.Epochs = r.d.ids.begun(d.Seq)
		if d.Kind == KindEpoch || d.Kind == KindForget || d.Kind == KindRule {
			continue
		}
		d.DocID = r.d.ids.DocID(d.Leader)
		if d.Kind == KindCorrect {
			d.Left = r.d.ids.DocID(d.Ruling.Before)
		}
		joins := d.Kind == KindNew || d.Kind == KindDuplicate || d.Kind == KindCorrect
		if joins {
			d.Backfilled = d.Article == nil
		}
		var err error
		switch {
		case d.Kind == KindUpdate && d.Article == nil:
			err = r.lateUpdate(ctx, d)
		case !joins:
			continue
		case leaders && d.Leads():
			err = r.lead(ctx, d)
		case d.Backfilled && !leaders:
			err = r.lateArticle(ctx, d)
		}
		if err != nil {
			return fmt.Errorf("complete change %d for sink %q: %w", d.Seq, r.name, err)
		}
		if a := d.Article; a != nil && !leaders && d.Kind != KindUpdate {
			d.Names = append(d.Names, r.d.namesOf(a)...)
		}
	}
	return nil
}

// before returns the last change before a number, or the zero Entry. Numbers may be skipped. It reads the log O(log seq)
// times.
func (r *Relay) before(ctx context.Context, seq uint64) (last Entry, err error) {
	for low, high := uint64(0), seq-1; low < high; {
		mid := low + (high-low)/2
		es, err := r.d.index.Catalog().Log(ctx, mid, 1)
		switch {
		case err != nil:
			return last, err
		case len(es) == 0 || es[0].Seq >= seq:
			high = mid
		default:
			last, low = es[0], es[0].Seq
		}
	}
	return last, nil
}

// lateArticle reads the article of a submission from the catalogue, if it is still there.
func (r *Relay) lateArticle(ctx context.Context, d *Delivery) error {
	m, err := r.d.index.Catalog().Member(ctx, d.NID)
	if err == nil && (m.Seq == d.Seq || (d.Kind == KindCorrect && m.Seq < d.Seq)) {
		d.Article = &m.Article
	}
	return gone(err)
}

// lateUpdate determines whether an update came with a text, and whether that text is kept. It skips an update that changed
// the heat of an article other than the kept one.
func (r *Relay) lateUpdate(ctx context.Context, d *Delivery) error {
	if d.Evidence.Stage != "" {
		d.Article = &Article{}
	}
	return r.lateKept(ctx, d, func(seq uint64) bool { return seq == d.Seq })
}

// lateKept adds the current kept copy to a delivery, if counts accepts the change that kept it.
func (r *Relay) lateKept(ctx context.Context, d *Delivery, counts func(seq uint64) bool) error {
	g, err := r.d.index.Catalog().Group(ctx, d.Leader, 0, 0)
	if err == nil && g.Kept != nil && counts(g.KeptSeq) {
		d.Article, d.Kept = g.Kept, KeptReplaced
	}
	return gone(err)
}

// lead adds the material of a new leader to its delivery. To a late delivery it also adds the current kept copy.
func (r *Relay) lead(ctx context.Context, d *Delivery) error {
	if !d.Backfilled {
		d.Material = &Material{NID: d.NID, Title: r.d.clean(d.Article.Title), Text: r.d.clean(d.Article.Text), Extras: d.Article.Extras}
		return nil
	}
	m, err := r.d.index.Material(ctx, d.Leader)
	if err != nil {
		return gone(err)
	}
	d.Material = &m
	return r.lateKept(ctx, d, func(uint64) bool { return true })
}
