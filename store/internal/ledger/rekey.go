package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// Rekey gives the indexes of rows that no store has open the settings from `anew`. It replaces leaders' keys and
// adds missing names. Use it on a copy, because a failure leaves the rows incomplete.
func Rekey(ctx context.Context, kv KV, anew func(tenant string, id docid.Identity) (*docid.Rekeyed, error)) error {
	if err := stamp(kv); err != nil {
		return err
	}
	return atSnapshot(kv, func(v Snapshot) error {
		if followed, err := read(v, placeKey(), new(logPlace).fields); err != nil {
			return err
		} else if followed {
			return fmt.Errorf("%w: the store follows a log: take it from there first (neardup log leave)", docid.ErrInvalid)
		}
		return eachIndex(v, func(ix *index, err error) error {
			if err == nil && ix.unfinished {
				err = fmt.Errorf("index of tenant %q: %w", ix.tenant, docid.ErrUnfinished)
			}
			if err != nil {
				return err
			}
			settings, err := anew(ix.tenant, ix.identity)
			if err != nil {
				return err
			}
			w := rekeyer{ctx: ctx, kv: kv, r: v, ix: ix, settings: settings}
			if err := w.run(); err != nil {
				return fmt.Errorf("new keys for the index of tenant %q: %w", ix.tenant, err)
			}
			return nil
		})
	})
}

// rekeyer changes the settings of one index.
type rekeyer struct {
	ctx      context.Context
	kv       KV
	r        Reader
	ix       *index
	settings *docid.Rekeyed

	rows    []leaderRow // leaders without new keys yet
	leaders []*docid.NewLeader
	bytes   int // of the texts of these leaders
	b       Batch
	written int
}

// Each page has at most this many leaders, or ends once their texts have this many bytes.
const (
	rekeyPage  = 512
	rekeyBytes = 16 << 20
)

func (w *rekeyer) run() error {
	w.b = w.kv.Batch()
	defer func() { w.b.Close() }()
	if err := w.ix.unpost(w.b); err != nil {
		return err
	}
	if err := w.leadersAnew(); err != nil {
		return err
	}
	if err := w.names(); err != nil {
		return err
	}
	w.ix.identity.Spec = w.settings.Spec
	if err := w.b.Set(w.ix.row(), sealed(w.ix.row(), w.ix.fields)); err != nil {
		return err
	}
	return w.b.Commit()
}

// unpost removes the postings. Opening the store makes them from the leaders.
func (ix *index) unpost(b Batch) error {
	prefix := ix.key(spacePosting)
	return errors.Join(b.DeleteRange(prefix, after(prefix)), b.Delete(ix.key(spaceFlushed)))
}

func (w *rekeyer) leadersAnew() error {
	err := scan(w.r, w.ix.key(spaceLeader), func(k, v []byte) error {
		row := leaderRow{seq: number(k, 0)}
		if err := decode(k, v, row.fields); err != nil {
			return err
		}
		f := &docid.NewLeader{}
		text := w.ix.key(spaceText, row.seq)
		if there, err := read(w.r, text, func(c *coder) { materialFields(c, &f.Material) }); err != nil {
			return err
		} else if !there {
			return fmt.Errorf("%w: the text of docId %d is missing", docid.ErrCorrupt, row.seq)
		}
		w.rows, w.leaders, w.bytes = append(w.rows, row), append(w.leaders, f), w.bytes+len(f.Material.Text)
		if len(w.rows) < rekeyPage && w.bytes < rekeyBytes {
			return nil
		}
		return w.page()
	})
	if err != nil {
		return err
	}
	return w.page()
}

// page writes the leaders of a page.
func (w *rekeyer) page() error {
	w.settings.Keys(w.leaders)
	for i, row := range w.rows {
		row.keys, row.sketch = w.leaders[i].Keys, w.leaders[i].Sketch
		if err := w.set(w.ix.key(spaceLeader, row.seq), row.fields); err != nil {
			return err
		}
	}
	w.rows, w.leaders, w.bytes = w.rows[:0], w.leaders[:0], 0
	return w.ctx.Err()
}

// names adds the names that the new settings look up but the index lacks.
func (w *rekeyer) names() error {
	return scan(w.r, w.ix.key(spaceNID), func(k, v []byte) error {
		var m docid.Member
		if err := decode(k, v, func(c *coder) { memberFields(c, &m) }); err != nil {
			return err
		}
		for _, n := range w.settings.Names(&m.Article) {
			key := nameKey(w.ix.id, m.Leader, n)
			if known, err := w.b.Get(key); err != nil {
				return err
			} else if known != nil {
				continue
			}
			seq := max(m.Seq, m.Leader)
			if err := w.set(key, oneUint(&seq)); err != nil {
				return err
			}
			if err := w.set(aliasKey(w.ix.id, n, seq, m.Leader), func(*coder) {}); err != nil {
				return err
			}
		}
		return w.ctx.Err()
	})
}

// set writes a row, and commits every 4096 rows.
func (w *rekeyer) set(key []byte, put func(*coder)) error {
	if err := w.b.Set(key, sealed(key, put)); err != nil {
		return err
	}
	if w.written++; w.written%4096 != 0 {
		return nil
	}
	if err := w.b.Commit(); err != nil {
		return err
	}
	w.b.Close()
	w.b = w.kv.Batch()
	return nil
}
