package batch

import (
	"context"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// state is the decision on a text: the zero value is a leader.
type state struct {
	matchRow          // with the leader; the zero grade means that there is none
	leader   position // the leader, or the text that this one is a variant of
	via      position // only for components: the most similar text
	late     uint32   // index of its first late leader, plus 1
}

func (s *state) duplicate() bool { return s.removes() }

// yieldsTo reports whether a leader that is near with this closeness would replace the current one.
func (s *state) yieldsTo(leader position, closeness float64) bool {
	return strength{near, -1, closeness, Ordinal(leader)}.beats(s.strength())
}

func (s *state) strength() strength {
	m := neardup.Match{Similarity: s.similarity, Closeness: s.closeness, Near: s.removes()}
	return strength{s.grade, s.distance, m.Rank(), Ordinal(s.leader)}
}

// verdicts are the decisions on all texts.
type verdicts struct {
	*verifier
	states  external.TypedArray[position, state]
	late    *lateLeaders                         // nil if there are none
	weakest *external.TypedArray[position, bond] // only for components, indexed by their first text
}

// leading decides all texts by the greedy leader rule. It compares each text with leaders only. The result equals a
// decision from all pairs.
type leading struct {
	*job
	*verifier
	from    *candidates
	states  external.TypedArray[position, state]
	removed bitset
	late    *lateLeaders
	done    *doneComparing // nil if progress is not stored
}

// lead runs the third stage, which turns candidates into verdicts. It cuts the index of leaders into partitions that fit
// the memory. It decides the texts of a partition, then compares all later texts with its leaders and keeps the best of
// each. Usually one partition is enough; n partitions read the candidates n times.
func (j *job) lead(ctx context.Context, v *verifier, from *candidates) (*verdicts, error) {
	l := &leading{
		job: j, verifier: v, from: from,
		states: external.NewTypedArray[position, state](j.disk, j.memory(60)), removed: newBitset(v.texts.Len()),
	}
	if err := l.states.Grow(v.texts.Len()); err != nil {
		return nil, err
	}
	if j.copies {
		l.late = newLateLeaders(j)
	}
	var err error
	l.done, err = j.doneComparing()
	if err != nil {
		return nil, err
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
	if err := l.done.end(); err != nil {
		return nil, err
	}
	if l.late != nil {
		if err := l.late.sort(ctx, l.states); err != nil {
			return nil, err
		}
	}
	return &verdicts{verifier: v, states: l.states, late: l.late}, nil
}

// block compares the texts of a block concurrently with the leaders before the block. Then it decides them in order, each
// also against the leaders within the block.
func (l *leading) block(ctx context.Context, x *index, b *textBlock) error {
	b = b.from(x.from)
	if len(b.texts) == 0 {
		return nil
	}
	best := make([]state, len(b.texts))
	before := l.sum.Work
	known, err := l.done.block(l, x, b, best)
	if err == nil && !known {
		err = l.compare(ctx, x, b, best)
	}
	if err != nil {
		return err
	}
	s := l.search(x)
	first := b.texts[0].position
	for i, t := range b.texts {
		if first < x.to && !known {
			err = s.searchRange(positionRange{first, x.to}, t.position, b.candidatesOf(t), l.best(&best[i]))
		}
		if err == nil {
			err = l.decide(&s, t.position, b.candidatesOf(t), &best[i])
		}
		if err != nil {
			return err
		}
	}
	l.progress("compare", int(b.texts[len(b.texts)-1].position)+1, l.texts.Len())
	if known {
		return nil
	}
	l.sum.Work.add(s.work)
	return l.done.add(l, x, b, best, before)
}

// compare compares the texts of a block concurrently with the leaders before it.
func (l *leading) compare(ctx context.Context, x *index, b *textBlock, best []state) error {
	before := positionRange{x.from, min(b.texts[0].position, x.to)}
	return l.searchBlock(ctx, b, l.search(x), func(s *search, i int) error {
		t := b.texts[i]
		st, err := l.states.Get(t.position)
		if err != nil {
			return err
		}
		best[i] = st
		return s.searchRange(before, t.position, b.candidatesOf(t), l.best(&best[i]))
	})
}

func (l *leading) search(x *index) search {
	return search{verifier: l.verifier, x: x, removed: l.removed}
}

// decide records the decision on a text. If the text is near no leader and in the partition, it becomes a leader of the
// index.
func (l *leading) decide(s *search, t position, candidates []candidate, best *state) error {
	if best.duplicate() {
		l.removed.set(uint32(t))
	}
	if best.grade != none {
		if err := l.states.Update(t, func(s *state) { *s = *best }); err != nil {
			return err
		}
	}
	if best.duplicate() || t >= s.x.to {
		return nil
	}
	row, err := l.texts.Get(t)
	if err != nil {
		return err
	}
	template, err := s.noteTemplate(t, candidates)
	if err != nil {
		return err
	}
	for _, c := range candidates {
		if c.role()&Indexed != 0 {
			s.x.add(c.bucket(), t, row.sketch, template)
		}
	}
	return s.joinLeaders(candidates)
}

// best returns a collector that keeps the best leader of a text.
func (l *leading) best(best *state) collector {
	return collector{
		wants: func(p position, closeness float64) bool { return best.yieldsTo(p, closeness) },
		take:  func(p position, m neardup.Match) error { return l.improve(best, p, m) },
	}
}

// improve takes a match that is stronger than the best so far.
func (l *leading) improve(best *state, leader position, m neardup.Match) error {
	s := strength{gradeOf(m), int32(m.Distance), m.Rank(), Ordinal(leader)}
	if !s.beats(best.strength()) {
		return nil
	}
	row, err := l.bases.row(m)
	*best = state{matchRow: row, leader: leader}
	return err
}
