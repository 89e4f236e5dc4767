package batch

import (
	"context"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// lateLeaders holds leaders that came after a duplicate text and are nearer than its leader. Later copies of that text get
// them as leaders. They are recorded in any order, then sorted by text and leader.
type lateLeaders struct {
	mu    sync.Mutex
	rows  *external.Array[lateRow]
	order *external.Sorter[keyValue] // text and leader -> row
	found *external.Array[lateRow]
}

type lateRow struct {
	text  position
	state state
}

func newLateLeaders(j *job) *lateLeaders {
	return &lateLeaders{
		rows: external.NewArray[lateRow](j.disk, j.memory(30)), order: external.NewSorter[keyValue](j.disk, j.memory(60)),
		found: external.NewArray[lateRow](j.disk, j.memory(30)),
	}
}

func (l *lateLeaders) note(r lateRow) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.rows.Add(r)
	if err != nil {
		return err
	}
	return l.order.Add(keyValue{uint64(r.text)<<32 | uint64(r.state.leader), uint64(n)})
}

// sort ends the recording, and sets the index of the first late leader of each text.
func (l *lateLeaders) sort(ctx context.Context, states external.TypedArray[position, state]) error {
	order, err := l.order.Sort()
	if err != nil {
		return err
	}
	defer order.Close()
	l.order = nil
	var last keyValue
	err = order.Each(ctx, func(p keyValue) error {
		row, err := l.rows.Get(int(p.Val()))
		if err != nil {
			return err
		}
		n, err := l.found.Add(row)
		if err != nil || (n > 0 && p.Key()>>32 == last.Key()>>32) {
			return err
		}
		last = p
		return states.Update(row.text, func(s *state) { s.late = uint32(n) + 1 })
	})
	_ = l.rows.Close()
	l.rows = nil
	return err
}

// each calls fn with the late leaders of a text, in order.
func (l *lateLeaders) each(s state, fn func(state) error) error {
	if l == nil || s.late == 0 {
		return nil
	}
	text := position(0)
	for i := int(s.late) - 1; i < l.found.Len(); i++ {
		row, err := l.found.Get(i)
		if err != nil {
			return err
		}
		if i == int(s.late)-1 {
			text = row.text
		} else if row.text != text {
			return nil
		}
		if err := fn(row.state); err != nil {
			return err
		}
	}
	return nil
}

// findLate finds the late leaders of duplicate texts in a finished partition: leaders that are nearer than the text's own,
// but come later. Later copies of the text get them as leaders.
func (l *leading) findLate(ctx context.Context, x *index) error {
	// One text of each pair is a duplicate, the other a leader.
	better := func(text, leader func(p position) position) collector {
		return collector{
			wants: func(p position, closeness float64) bool {
				st, err := l.states.Get(text(p))
				return err != nil || st.yieldsTo(leader(p), closeness)
			},
			take: func(p position, m neardup.Match) error {
				st, err := l.states.Get(text(p))
				if err != nil {
					return err
				}
				if err := l.improve(&st, leader(p), m); err != nil || st.leader != leader(p) {
					return err
				}
				return l.late.note(lateRow{text(p), st})
			},
		}
	}
	found := func(p position) position { return p }
	for b, err := range l.from.blocks(ctx) {
		if err != nil {
			return err
		}
		err = l.searchBlock(ctx, b, l.search(x), func(s *search, i int) error {
			t, candidates := b.texts[i].position, b.candidatesOf(b.texts[i])
			own := func(position) position { return t }
			switch {
			case t >= x.to:
				return nil
			case !l.removed.has(uint32(t)):
				if t < x.from {
					return nil
				}
				return s.amongRemoved(t, candidates, better(found, own))
			}
			row, err := l.texts.Get(t)
			if err != nil || !row.copies {
				return err
			}
			return s.searchRange(positionRange{max(t, x.from), x.to}, t, candidates, better(own, found))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
