package batch

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/neardup/neardup"
)

// state is what has been decided of a text: the zero value is a leader.
type state struct {
	sim       float64
	leader    uint32
	dist      int32
	via       uint32 // components only: the most similar text
	basis     uint8
	duplicate bool
}

// lateMatch is a leader that came after a duplicate text and is nearer than
// the one it had; later copies of that text belong to it.
type lateMatch struct {
	leader uint32
	state  state
}

// lead decides all texts by the greedy leader rule. The leaders' index is
// cut into stretches that fit the memory: each stretch is decided, and then
// all later texts are compared with its leaders and remember the best. One
// stretch is the usual case; s stretches read the live postings s times.
func (r *run) lead(ctx context.Context) error {
	for range r.texts.len() {
		if _, err := r.states.add(state{}); err != nil {
			return err
		}
	}
	r.views.reset(r.texts.len())
	r.removed = newBitset(r.texts.len())
	for from := uint32(0); int(from) < r.texts.len(); {
		x, err := r.newIndex(ctx, from)
		if err != nil {
			return err
		}
		r.sum.Stretches++
		err = r.walk(ctx, func(b *textBlock) error {
			return r.leadBlock(ctx, x, b)
		})
		if err != nil {
			return err
		}
		if r.sum.Equal > 0 {
			if err := r.findLate(ctx, x); err != nil {
				return err
			}
		}
		from = x.to
	}
	return nil
}

// leadBlock compares the texts of a block with the leaders before the block,
// side by side, and then decides them in order, each against the leaders that
// the block itself has brought.
func (r *run) leadBlock(ctx context.Context, x *index, b *textBlock) error {
	for len(b.texts) > 0 && b.texts[0].pos < x.from {
		b.texts = b.texts[1:]
	}
	if len(b.texts) == 0 {
		return nil
	}
	first := b.texts[0].pos
	best := make([]state, len(b.texts))
	err := r.parallel(ctx, len(b.texts), x, func(p *prober, i int) error {
		t := b.texts[i]
		st, err := r.states.get(int(t.pos))
		if err != nil {
			return err
		}
		best[i] = st
		return p.probe(t, b.vals[t.from:t.to], x.from, min(first, x.to), func(pos uint32, m neardup.Match) error {
			return r.improve(&best[i], pos, m)
		})
	})
	if err != nil {
		return err
	}
	p := &prober{r: r, x: x}
	for i, t := range b.texts {
		if first < x.to {
			if err := r.leadText(p, t, b.vals[t.from:t.to], first, &best[i]); err != nil {
				return err
			}
		}
		if best[i].duplicate {
			r.removed.set(t.pos)
			if err := r.states.update(int(t.pos), func(s *state) { *s = best[i] }); err != nil {
				return err
			}
		}
	}
	r.sum.Work.add(p.stats)
	r.cfg.Progress(Progress{Phase: "compare", Documents: int64(b.texts[len(b.texts)-1].pos) + 1, Total: int64(r.texts.len())})
	return nil
}

// leadText compares one text with the leaders of its own block and makes it a
// leader of the index if it is near none and stands in its stretch.
func (r *run) leadText(p *prober, t blockText, vals []uint64, first uint32, best *state) error {
	err := p.probe(t, vals, first, p.x.to, func(pos uint32, m neardup.Match) error {
		return r.improve(best, pos, m)
	})
	if err != nil || best.duplicate || t.pos >= p.x.to {
		return err
	}
	row, err := r.texts.get(int(t.pos))
	if err != nil {
		return err
	}
	for _, val := range vals {
		if val&indexed != 0 {
			p.x.add(uint32(val>>2), t.pos, row.sketch)
		}
	}
	return nil
}

// improve takes a match that is better than the best so far. Matches come in
// the order of their leaders, so of equal ones the earliest stays.
func (r *run) improve(best *state, leader uint32, m neardup.Match) error {
	old := neardup.Match{Similarity: best.sim, Distance: int(best.dist)}
	if best.duplicate && !m.Better(old) {
		return nil
	}
	basis, err := r.names.number(m)
	*best = state{sim: m.Similarity, leader: leader, dist: int32(m.Distance), basis: basis, duplicate: true}
	return err
}

// findLate looks for leaders of a finished stretch that suit a duplicate text
// better than its own and come later: they count for later copies of it.
func (r *run) findLate(ctx context.Context, x *index) error {
	var mu sync.Mutex
	note := func(text, leader uint32, m neardup.Match) error {
		st, err := r.states.get(int(text))
		if err != nil {
			return err
		}
		if err := r.improve(&st, leader, m); err != nil || st.leader != leader {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		r.late[text] = append(r.late[text], lateMatch{leader, st})
		return nil
	}
	err := r.walk(ctx, func(b *textBlock) error {
		return r.parallel(ctx, len(b.texts), x, func(p *prober, i int) error {
			t := b.texts[i]
			vals := b.vals[t.from:t.to]
			switch {
			case t.pos >= x.to:
				return nil
			case !r.removed.has(t.pos):
				if t.pos < x.from {
					return nil
				}
				return p.probeRemoved(t, vals, func(pos uint32, m neardup.Match) error { return note(pos, t.pos, m) })
			}
			row, err := r.texts.get(int(t.pos))
			if err != nil || !row.copies {
				return err
			}
			return p.probe(t, vals, max(t.pos, x.from), x.to, func(pos uint32, m neardup.Match) error { return note(t.pos, pos, m) })
		})
	})
	for _, late := range r.late {
		slices.SortFunc(late, func(a, b lateMatch) int { return cmp.Compare(a.leader, b.leader) })
	}
	return err
}
