package batch

import (
	"context"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// state is what has been decided of a text: the zero value is a leader.
type state struct {
	matchRow          // with the leader; no grade: none
	leader   position // or what it is a variant of
	via      position // components only: the most similar text
	late     uint32   // where its late leaders begin, plus 1
}

func (s *state) duplicate() bool { return s.removes() }

func (s *state) strength() strength {
	return strength{s.grade, s.distance, s.similarity, Ordinal(s.leader)}
}

// verdicts say what became of each text.
type verdicts struct {
	*verifier
	states  external.Table[position, state]
	late    *lateLeaders                    // nil: none
	weakest *external.Table[position, bond] // components only: by their first text
}

// leading decides all texts by the greedy leader rule, comparing each with
// leaders only: what Leaders would choose from all pairs, without making them.
type leading struct {
	*job
	*verifier
	from    *candidates
	states  external.Table[position, state]
	removed bitset
	late    *lateLeaders
}

// lead is the third stage, candidates -> verdicts. The leaders' index is cut
// into partitions that fit the memory: each partition is decided, and then all
// later texts are compared with its leaders and remember the best. One
// partition is the usual case; n of them read the candidates n times.
func (j *job) lead(ctx context.Context, v *verifier, from *candidates) (*verdicts, error) {
	l := &leading{
		job: j, verifier: v, from: from,
		states: external.NewTable[position, state](j.disk, j.memory(60)), removed: newBitset(v.texts.Len()),
	}
	if err := l.states.Grow(v.texts.Len()); err != nil {
		return nil, err
	}
	if j.copies {
		l.late = newLateLeaders(j)
	}
	for at := position(0); int(at) < v.texts.Len(); {
		x, err := j.newIndex(ctx, v.collection, from, at)
		if err != nil {
			return nil, err
		}
		x.join = newJoin(v.method, j.memory(150))
		x.templates = newTemplates(v, j.memory(50))
		j.sum.Partitions++
		for b, err := range from.blocks(ctx) {
			if err == nil {
				err = l.block(ctx, x, b)
			}
			if err != nil {
				return nil, err
			}
		}
		if l.late != nil {
			if err := l.findLate(ctx, x); err != nil {
				return nil, err
			}
		}
		at = x.to
	}
	if l.late != nil {
		if err := l.late.sort(ctx, l.states); err != nil {
			return nil, err
		}
	}
	return &verdicts{verifier: v, states: l.states, late: l.late}, nil
}

// block compares the texts of a block with the leaders before the block, side
// by side, and then decides them in order, each against the leaders that the
// block itself has brought.
func (l *leading) block(ctx context.Context, x *index, b *textBlock) error {
	b = b.from(x.from)
	if len(b.texts) == 0 {
		return nil
	}
	first := b.texts[0].position
	best := make([]state, len(b.texts))
	err := l.searchBlock(ctx, b, l.search(x), func(s *search, i int) error {
		t := b.texts[i]
		st, err := l.states.Get(t.position)
		if err != nil {
			return err
		}
		best[i] = st
		return s.in(span{x.from, min(first, x.to)}, t.position, b.contactsOf(t), func(p position, m neardup.Match) error {
			return l.improve(&best[i], p, m)
		})
	})
	if err != nil {
		return err
	}
	s := l.search(x)
	for i, t := range b.texts {
		if first < x.to {
			if err := l.decide(&s, t.position, b.contactsOf(t), first, &best[i]); err != nil {
				return err
			}
		}
		if best[i].duplicate() {
			l.removed.set(uint32(t.position))
		}
		if best[i].grade != none {
			if err := l.states.Update(t.position, func(s *state) { *s = best[i] }); err != nil {
				return err
			}
		}
	}
	l.sum.Work.add(s.work)
	l.progress("compare", int(b.texts[len(b.texts)-1].position)+1, l.texts.Len())
	return nil
}

func (l *leading) search(x *index) search {
	return search{verifier: l.verifier, x: x, removed: l.removed}
}

// decide compares one text with the leaders of its own block and makes it a
// leader of the index if it is near none and stands in its partition.
func (l *leading) decide(s *search, t position, contacts []contact, first position, best *state) error {
	err := s.in(span{first, s.x.to}, t, contacts, func(p position, m neardup.Match) error {
		return l.improve(best, p, m)
	})
	if err != nil || best.duplicate() || t >= s.x.to {
		return err
	}
	row, err := l.texts.Get(t)
	if err != nil {
		return err
	}
	template, err := s.noteTemplate(t, contacts)
	if err != nil {
		return err
	}
	for _, c := range contacts {
		if c.role()&Indexed != 0 {
			s.x.add(c.bucket(), t, row.sketch, template)
		}
	}
	return s.joinLeaders(contacts)
}

// improve takes a match that is stronger than the best so far.
func (l *leading) improve(best *state, leader position, m neardup.Match) error {
	s := strength{gradeOf(m), int32(m.Distance), m.Similarity, Ordinal(leader)}
	if !s.beats(best.strength()) {
		return nil
	}
	row, err := l.bases.row(m)
	*best = state{matchRow: row, leader: leader}
	return err
}
