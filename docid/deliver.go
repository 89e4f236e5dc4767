package docid

import (
	"context"
	"errors"
	"fmt"
)

// complete adds to deliveries what the outbox does not keep because it follows
// from the rest: docIds, names, the clean texts of leaders. Where the outbox kept
// nothing for the sink, what the index still knows stands in.
func (r *Relay) complete(ctx context.Context, ds []Delivery) error {
	keeper, ok := r.sink.(LeaderSink)
	leaders := ok && keeper.KeepsLeaders()
	for i := range ds {
		d := &ds[i]
		if d.Kind == KindEpoch {
			if err := r.d.learnEpochs(ctx); err != nil {
				return err
			}
		}
		d.Epochs = r.d.ids.begun(d.Seq)
		if d.Kind == KindEpoch || d.Kind == KindForget {
			continue
		}
		d.DocID = r.d.ids.DocID(d.Leader)
		if d.Kind != KindNew && d.Kind != KindDuplicate {
			continue
		}
		var err error
		switch d.Late = d.Article == nil; {
		case leaders && d.Kind == KindNew:
			err = r.lead(ctx, d)
		case d.Late && !leaders:
			err = r.late(ctx, d)
		}
		if err != nil {
			return fmt.Errorf("complete change %d for sink %q: %w", d.Seq, r.name, err)
		}
		if a := d.Article; a != nil && !leaders {
			for _, n := range r.d.aliases(a.URL, r.d.clean(a.Title)) {
				d.Names = append(d.Names, n.name)
			}
		}
	}
	return nil
}

// late takes the article of a submission from the catalogue, if it is there still.
func (r *Relay) late(ctx context.Context, d *Delivery) error {
	m, err := r.d.index.Catalog().Member(ctx, d.NID)
	if err == nil && m.Seq == d.Seq {
		d.Article = &m.Article
	}
	return gone(err)
}

// lead gives a new leader its material, and a late one the copy that is kept now.
func (r *Relay) lead(ctx context.Context, d *Delivery) error {
	if !d.Late {
		d.Material = &Material{NID: d.NID, Title: r.d.clean(d.Article.Title), Text: r.d.clean(d.Article.Text)}
		return nil
	}
	m, err := r.d.index.Material(ctx, d.Leader)
	if err != nil {
		return gone(err)
	}
	d.Material = &m
	g, err := r.d.index.Catalog().Group(ctx, d.Leader, 0, 0)
	if err == nil && g.Kept != nil {
		d.Article, d.Keeps = g.Kept, KeepsThis
	}
	if errors.Is(err, ErrEnded) {
		return nil
	}
	return gone(err)
}
