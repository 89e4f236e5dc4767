package batch

import (
	"context"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// Pair is a verified pair of documents, A before B in the order of Keep. The
// Ordinals of its Edge are their indexes in that order.
type Pair struct {
	A, B string // ids
	Edge
}

// matches holds all verified pairs of texts, ordered by the later text, then the earlier one. The value is a row.
type matches struct {
	sorted *external.Sorted[keyValue]
	rows   *external.Array[matchRow]
}

func (m *matches) close() {
	_ = m.sorted.Close()
	_ = m.rows.Close()
}

// match finds all verified pairs of texts. Like lead, it divides the index into partitions.
func (j *job) match(ctx context.Context, v *verifier, from *candidates) (*matches, error) {
	found, rows := external.NewSorter[keyValue](j.disk, j.memory(60)), external.NewArray[matchRow](j.disk, j.memory(60))
	var mu sync.Mutex
	note := func(t, p position, m neardup.Match) error {
		if !m.Near && !j.cfg.Variants {
			return nil
		}
		row, err := v.bases.row(m)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		n, err := rows.Add(row)
		if err != nil {
			return err
		}
		return found.Add(keyValue{uint64(t)<<32 | uint64(p), uint64(n)})
	}
	removed := newBitset(v.texts.Len()) // no text is removed
	for at := position(0); int(at) < v.texts.Len(); {
		x, err := j.fullIndex(ctx, v.collection, from, at)
		if err != nil {
			return nil, err
		}
		j.sum.Partitions++
		for b, err := range from.blocks(ctx) {
			if err != nil {
				return nil, err
			}
			j.progress("compare", int(b.texts[0].position), v.texts.Len())
			err = j.searchBlock(ctx, b, search{verifier: v, x: x, removed: removed}, func(s *search, i int) error {
				t := b.texts[i]
				return s.searchRange(positionRange{x.from, min(t.position, x.to)}, t.position, b.candidatesOf(t), collector{take: func(p position, m neardup.Match) error {
					return note(t.position, p, m)
				}})
			})
			if err != nil {
				return nil, err
			}
		}
		at = x.to
	}
	all, err := found.Sort()
	return &matches{all, rows}, err
}

// fullIndex returns an index that contains every text, leader or not.
func (j *job) fullIndex(ctx context.Context, set *collection, from *candidates, at position) (*index, error) {
	x, err := j.newIndex(ctx, set, from, at)
	if err != nil {
		return nil, err
	}
	return x, from.sorted.Each(ctx, func(p keyValue) error {
		pos, c := position(p.Key()), candidate(p.Val())
		if pos < x.from || pos >= x.to || c.role()&Indexed == 0 {
			return nil
		}
		row, err := set.texts.Get(pos)
		if err != nil {
			return err
		}
		x.add(c.bucket(), pos, row.sketch, 0)
		return nil
	})
}

// each calls fn with the pairs, in order.
func (m *matches) each(ctx context.Context, fn func(later, earlier position, row matchRow) error) error {
	return m.sorted.Each(ctx, func(p keyValue) error {
		row, err := m.rows.Get(int(p.Val()))
		if err != nil {
			return err
		}
		return fn(position(p.Key()>>32), position(p.Key()), row)
	})
}

// equalPair marks a pair of documents with one text. The lower bits of the value are then the text; without the mark they
// are the row of the match.
const equalPair = 1 << 63

// documentPairs pairs documents, ordered by the rank of the later one, then of the earlier one. Neither the collapsing of
// texts nor the memory bound changes the order.
type documentPairs struct {
	*job
	*verifier
	all     *matches
	members *external.Array[rank]
	out     *external.Sorter[keyValue] // pair of ranks -> text or row
}

// reportPairs runs the last stage of Pairs. It calls found for each verified pair of documents.
func (j *job) reportPairs(ctx context.Context, v *verifier, all *matches, found func(Pair) error) error {
	w := documentPairs{job: j, verifier: v, all: all, out: external.NewSorter[keyValue](j.disk, j.memory(60))}
	if err := w.membersOf(ctx, 0); err != nil {
		return err
	}
	defer w.members.Close()
	for p := range v.texts.Len() {
		if err := w.equal(position(p)); err != nil {
			return err
		}
	}
	err := all.sorted.Each(ctx, func(p keyValue) error { return w.cross(position(p.Key()), position(p.Key()>>32), p.Val()) })
	if err != nil {
		return err
	}
	ranks, err := w.out.Sort()
	if err != nil {
		return err
	}
	defer ranks.Close()
	err = ranks.Each(ctx, func(p keyValue) error {
		out, err := w.pairOf(p)
		if err != nil {
			return err
		}
		j.sum.Pairs++
		if err := w.auditPair(p, out); err != nil {
			return err
		}
		return found(out)
	})
	if err != nil {
		return err
	}
	return j.finishAudit(ctx, func(position) (bool, error) { return false, nil })
}

// auditPair reports a pair to the audit.
func (w *documentPairs) auditPair(p keyValue, out Pair) error {
	if w.verifier.audit == nil || !out.Near {
		return nil
	}
	earlier, err := w.itemAt(rank(p.Key()))
	if err != nil {
		return err
	}
	later, err := w.itemAt(rank(p.Key() >> 32))
	if err != nil {
		return err
	}
	w.verifier.audit.Near(uint32(later), uint32(earlier), out.Similarity, out.Basis)
	return nil
}

// pairOf names the documents of a pair of ranks and the match of their texts.
func (w *documentPairs) pairOf(p keyValue) (out Pair, err error) {
	if p.Val()&equalPair != 0 {
		row, err := w.texts.Get(position(p.Val() &^ equalPair))
		if err != nil {
			return out, err
		}
		out.Match = w.equalMatch(row)
	} else {
		row, err := w.all.rows.Get(int(p.Val()))
		if err != nil {
			return out, err
		}
		out.Match = w.bases.match(row)
	}
	earlier, later := rank(p.Key()), rank(p.Key()>>32)
	out.Earlier, out.Later, err = w.ordinals(earlier, later)
	if err != nil {
		return out, err
	}
	out.A, err = w.idAt(earlier)
	if err != nil {
		return out, err
	}
	out.B, err = w.idAt(later)
	return out, err
}

// ordinals returns the ordinals of two documents in the order of Keep, after all documents of the reference.
func (w *documentPairs) ordinals(earlier, later rank) (a, b Ordinal, err error) {
	if w.reference == nil {
		return Ordinal(earlier), Ordinal(later), nil
	}
	first, err := w.number(earlier)
	if err != nil {
		return 0, 0, err
	}
	second, err := w.number(later)
	return Ordinal(first), Ordinal(second), err
}

// membersOf groups the documents from a rank on by text. It sets in each row where the group of the text starts.
func (w *documentPairs) membersOf(ctx context.Context, from rank) error {
	byText := external.NewSorter[keyValue](w.disk, w.memory(60))
	err := w.eachFrom(ctx, from, func(r rank, _ item, p position) error {
		return byText.Add(keyValue{uint64(p)<<32 | uint64(r)})
	})
	if err != nil {
		return err
	}
	list, err := byText.Sort()
	if err != nil {
		return err
	}
	defer list.Close()
	w.members = external.NewArray[rank](w.disk, w.memory(30))
	last := -1
	return list.Each(ctx, func(p keyValue) error {
		n, err := w.members.Add(rank(p.Key()))
		if err != nil {
			return err
		}
		if pos := position(p.Key() >> 32); int(pos) != last {
			last = int(pos)
			return w.texts.Update(pos, func(t *textRow) { t.member = uint32(n) })
		}
		return nil
	})
}

// ranks calls fn for the ranks of a text's documents.
func (w *documentPairs) ranks(p position, fn func(rank) error) error {
	row, err := w.texts.Get(p)
	if err != nil {
		return err
	}
	end := w.members.Len()
	if int(p)+1 < w.texts.Len() {
		next, err := w.texts.Get(p + 1)
		if err != nil {
			return err
		}
		end = int(next.member)
	}
	for i := int(row.member); i < end; i++ {
		r, err := w.members.Get(i)
		if err != nil {
			return err
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// equal adds the pairs of the documents of one text.
func (w *documentPairs) equal(p position) error {
	row, err := w.texts.Get(p)
	if err != nil || !row.copies {
		return err
	}
	return w.ranks(p, func(b rank) error {
		return w.ranks(p, func(a rank) error {
			if a >= b {
				return nil
			}
			return w.out.Add(keyValue{uint64(b)<<32 | uint64(a), equalPair | uint64(p)})
		})
	})
}

// cross adds the pairs of the documents of two near texts.
func (w *documentPairs) cross(p, q position, match uint64) error {
	return w.ranks(q, func(b rank) error {
		return w.ranks(p, func(a rank) error {
			return w.out.Add(keyValue{uint64(max(a, b))<<32 | uint64(min(a, b)), match})
		})
	})
}
