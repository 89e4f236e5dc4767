package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup/docid"
)

// Past is a docid.Source of the history of an index, in rows that no store has open. It reads no derived rows.
type Past struct {
	r     Reader
	ix    *index
	names []named
}

// Repeat copies the rows of from, which no store has open, to an empty KV. It prepares the indexes for Restore, and calls
// again with the past of each. Then it copies the rows that changes do not restore: the rows of sinks, the position in a
// log and the mark of a copy. open opens the new KV. If asStored is not set, the new indexes have other settings or another
// epoch, and the store must not follow a log.
func Repeat(from KV, asStored bool, open func(work func(KV) error) error, again func(pasts map[string]*Past) error) error {
	return atSnapshot(from, func(v Snapshot) error {
		_, newer := version(v)
		followed, err := read(v, positionKey(), new(logPosition))
		err = errors.Join(newer, err)
		if err == nil && followed && !asStored {
			err = fmt.Errorf("%w: the store follows a log (run neardup log leave first)", docid.ErrInvalid)
		}
		if err != nil {
			return err
		}
		pasts := map[string]*Past{}
		err = open(func(to KV) error {
			err := update(to, func(b *writes) error {
				return eachIndex(v, func(ix *index, err error) error {
					if err == nil && ix.unfinished {
						err = docid.ErrUnfinished
					}
					if err != nil {
						return fmt.Errorf("index of tenant %q: %w", ix.tenant, err)
					}
					pasts[ix.tenant], ix.unfinished = &Past{r: v, ix: ix}, true
					b.set(ix.row(), ix.stored()...)
					return nil
				})
			})
			return errors.Join(err, stamp(to), carry(v, to, spaceSink, spaceOutbox))
		})
		if err == nil {
			err = again(pasts)
		}
		if err != nil {
			return err
		}
		return open(func(to KV) error { return carry(v, to, spacePosition, spaceBeat, spaceClaim, spaceCopy) })
	})
}

// carry copies the rows of spaces.
func carry(from Reader, to KV, spaces ...byte) error {
	for _, space := range spaces {
		for next, end := []byte{space}, []byte{space + 1}; next != nil; {
			start := next
			next = nil
			err := update(to, func(b *writes) error {
				n := 0
				err := from.Scan(start, end, func(k, v []byte) error {
					n++
					if n > 1000 {
						next = slices.Clone(k)
						return errStop
					}
					b.Set(k, v)
					return nil
				})
				if next != nil {
					err = nil
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Identity returns the identity of the index.
func (p *Past) Identity(context.Context, string) (docid.Identity, error) { return p.ix.identity, nil }

// Cursors returns the last change twice.
func (p *Past) Cursors(context.Context, string) (changes, texts uint64, err error) {
	last, err := p.ix.lastBefore(p.r, maxPast)
	return last, last, err
}

// History reads changes.
func (p *Past) History(ctx context.Context, _ string, from uint64, limit int) (ds []docid.Delivery, err error) {
	if p.names == nil {
		p.names, err = p.ix.namesAfter(ctx, p.r, 0)
		if err != nil {
			return nil, err
		}
	}
	entries, err := p.ix.entries(p.r, spaceLog, from, limit)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		d := docid.Delivery{Entry: e}
		if err := p.complete(&d); err != nil {
			return nil, err
		}
		ds = append(ds, d)
	}
	return ds, ctx.Err()
}

// complete adds the remaining names, article and kept copy to an entry.
func (p *Past) complete(d *docid.Delivery) error {
	i, _ := slices.BinarySearchFunc(p.names, d.Seq, func(n named, seq uint64) int { return cmp.Compare(n.seq, seq) })
	for ; i < len(p.names) && p.names[i].seq == d.Seq; i++ {
		d.Names = append(d.Names, p.names[i].name)
	}
	switch d.Kind {
	case docid.KindNew, docid.KindDuplicate, docid.KindCorrect:
		var m docid.Member
		there, err := read(p.r, nidKey(p.ix.id, d.NID), &m)
		if err != nil {
			return err
		}
		if there && (m.Seq == d.Seq || (d.Kind == docid.KindCorrect && m.Seq < d.Seq)) {
			d.Article = &m.Article
		}
	case docid.KindUpdate:
		if d.Evidence.Stage != "" { // the update had a text
			d.Article = &docid.Article{}
		}
	default:
		return nil
	}
	var kept keptRow
	if _, err := read(p.r, p.ix.key(spaceKept, d.Leader), &kept); err != nil {
		return err
	}
	if kept.Seq == d.Seq {
		d.Kept = docid.KeptReplaced
	}
	return nil
}

// Texts reads the texts and keys of docIds. A docId has ended if its leader has no row.
func (p *Past) Texts(ctx context.Context, ds []*docid.Delivery) (map[uint64]docid.Texts, error) {
	all := map[uint64]docid.Texts{}
	for _, d := range ds {
		var row leaderRow
		var m docid.Material
		var kept keptRow
		lives, err1 := read(p.r, p.ix.key(spaceLeader, d.Leader), &row)
		has, err2 := read(p.r, p.ix.key(spaceText, d.Leader), &m)
		keeps, err3 := read(p.r, p.ix.key(spaceKept, d.Leader), &kept)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		if lives != has {
			return nil, fmt.Errorf("%w: docId %d lacks its text or its keys", docid.ErrCorrupt, d.Leader)
		}
		t := docid.Texts{Ended: !lives}
		if lives {
			t.Material, t.Keys, t.Sketch = &m, row.Keys, row.Sketch
		}
		if keeps {
			t.Kept, t.KeptSeq = &kept.Article, kept.Seq
		}
		all[d.Leader] = t
	}
	return all, ctx.Err()
}
