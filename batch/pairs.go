package batch

import (
	"context"
	"sync"

	"github.com/neardup/neardup"
)

// matchRow is one match of two texts.
type matchRow struct {
	sim   float64
	dist  int32
	basis uint8
}

// matches finds all near pairs of texts, in stretches of the index as lead
// does, and returns them sorted by the later text, then by the earlier one:
// key later<<32|earlier, value an index into the rows.
func (r *run) matches(ctx context.Context) (*sorted[pair], *array[matchRow], error) {
	rows := newArray[matchRow](r.disk, r.cfg.Memory*6/100)
	found := newSorter[pair](r.disk, r.cfg.Memory*6/100)
	var mu sync.Mutex
	r.views.reset(r.texts.len())
	r.removed = newBitset(r.texts.len()) // none is
	for from := uint32(0); int(from) < r.texts.len(); {
		x, err := r.fullIndex(ctx, from)
		if err != nil {
			return nil, nil, err
		}
		r.sum.Stretches++
		err = r.walk(ctx, func(b *textBlock) error {
			r.cfg.Progress(Progress{Phase: "compare", Documents: int64(b.texts[0].pos), Total: int64(r.texts.len())})
			return r.parallel(ctx, len(b.texts), x, func(p *prober, i int) error {
				t := b.texts[i]
				return p.probe(t, b.vals[t.from:t.to], x.from, min(t.pos, x.to), func(pos uint32, m neardup.Match) error {
					basis, err := r.names.number(m)
					if err != nil {
						return err
					}
					mu.Lock()
					defer mu.Unlock()
					n, err := rows.add(matchRow{m.Similarity, int32(m.Distance), basis})
					if err != nil {
						return err
					}
					return found.add(pair{uint64(t.pos)<<32 | uint64(pos), uint64(n)})
				})
			})
		})
		if err != nil {
			return nil, nil, err
		}
		from = x.to
	}
	all, err := found.sort()
	return all, rows, err
}

// fullIndex is an index in which every text stands, leader or not.
func (r *run) fullIndex(ctx context.Context, from uint32) (*index, error) {
	x, err := r.newIndex(ctx, from)
	if err != nil {
		return nil, err
	}
	return x, r.live.each(ctx, func(p pair) error {
		pos := uint32(p.key())
		if pos < x.from || pos >= x.to || p.val()&indexed == 0 {
			return nil
		}
		row, err := r.texts.get(int(pos))
		if err != nil {
			return err
		}
		x.add(uint32(p.val()>>2), pos, row.sketch)
		return nil
	})
}

func (row matchRow) state() state {
	return state{sim: row.sim, dist: row.dist, basis: row.basis}
}

// equalPair marks, in what stands beside a pair of ranks, two documents of one
// text; below it is the text, else the row of the match.
const equalPair = 1 << 63

// pairs calls found for each near pair of documents, by the rank of the later
// one, then of the earlier one: an order that how texts were collapsed, and so
// the memory, cannot change.
func (r *run) pairs(ctx context.Context, found func(Pair) error) error {
	all, rows, err := r.matches(ctx)
	if err != nil {
		return err
	}
	defer all.close()
	defer rows.close()
	members, err := r.membersOf(ctx)
	if err != nil {
		return err
	}
	defer members.close()
	w := pairWriter{r: r, members: members, out: newSorter[pair](r.disk, r.cfg.Memory*6/100)}
	for pos := range r.texts.len() {
		if err := w.equal(uint32(pos)); err != nil {
			return err
		}
	}
	err = all.each(ctx, func(p pair) error { return w.cross(uint32(p.key()), uint32(p.key()>>32), p.val()) })
	if err != nil {
		return err
	}
	ranks, err := w.out.sort()
	if err != nil {
		return err
	}
	defer ranks.close()
	return ranks.each(ctx, func(p pair) error {
		out, err := r.pairOf(p, rows)
		if err != nil {
			return err
		}
		r.sum.Pairs++
		return found(out)
	})
}

// pairOf names the documents of a pair of ranks and the match of their texts.
func (r *run) pairOf(p pair, rows *array[matchRow]) (out Pair, err error) {
	if p.val()&equalPair != 0 {
		row, err := r.texts.get(int(p.val() &^ equalPair))
		if err != nil {
			return out, err
		}
		out.Match = r.equalMatch(row)
	} else {
		row, err := rows.get(int(p.val()))
		if err != nil {
			return out, err
		}
		out.Match = r.names.match(row.state())
	}
	if out.A, err = r.idAt(uint32(p.key())); err != nil {
		return out, err
	}
	out.B, err = r.idAt(uint32(p.key() >> 32))
	return out, err
}

// idAt returns the id of the document at a rank.
func (r *run) idAt(rank uint32) (string, error) {
	item, err := r.item(rank)
	if err != nil {
		return "", err
	}
	return r.id(item)
}

// membersOf groups the ranks of all documents by text; the rows say where
// each text's begin.
func (r *run) membersOf(ctx context.Context) (*array[uint32], error) {
	members := newArray[uint32](r.disk, r.cfg.Memory*3/100)
	byText := newSorter[pair](r.disk, r.cfg.Memory*6/100)
	err := r.eachDocument(ctx, func(rank, _, pos uint32) error {
		return byText.add(pair{uint64(pos)<<32 | uint64(rank)})
	})
	if err != nil {
		return nil, err
	}
	list, err := byText.sort()
	if err != nil {
		return nil, err
	}
	defer list.close()
	last := -1
	return members, list.each(ctx, func(p pair) error {
		n, err := members.add(uint32(p.key()))
		if err != nil {
			return err
		}
		if pos := int(p.key() >> 32); pos != last {
			last = pos
			return r.texts.update(pos, func(t *textRow) { t.member = uint32(n) })
		}
		return nil
	})
}

// pairWriter turns pairs of texts into pairs of documents, by their ranks.
type pairWriter struct {
	r       *run
	members *array[uint32]
	out     *sorter[pair]
}

// ranks calls fn for the ranks of a text's documents.
func (w *pairWriter) ranks(pos uint32, fn func(rank uint32) error) error {
	row, err := w.r.texts.get(int(pos))
	if err != nil {
		return err
	}
	end := w.members.len()
	if int(pos)+1 < w.r.texts.len() {
		next, err := w.r.texts.get(int(pos) + 1)
		if err != nil {
			return err
		}
		end = int(next.member)
	}
	for i := int(row.member); i < end; i++ {
		rank, err := w.members.get(i)
		if err != nil {
			return err
		}
		if err := fn(rank); err != nil {
			return err
		}
	}
	return nil
}

// equal adds the pairs of the documents of one text.
func (w *pairWriter) equal(pos uint32) error {
	row, err := w.r.texts.get(int(pos))
	if err != nil || !row.copies {
		return err
	}
	return w.ranks(pos, func(b uint32) error {
		return w.ranks(pos, func(a uint32) error {
			if a >= b {
				return nil
			}
			return w.out.add(pair{uint64(b)<<32 | uint64(a), equalPair | uint64(pos)})
		})
	})
}

// cross adds the pairs of the documents of two near texts.
func (w *pairWriter) cross(p, q uint32, match uint64) error {
	return w.ranks(q, func(b uint32) error {
		return w.ranks(p, func(a uint32) error {
			return w.out.add(pair{uint64(max(a, b))<<32 | uint64(min(a, b)), match})
		})
	})
}
