package batch

import (
	"context"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// Outcome is one decided document.
type Outcome struct {
	// Item is the index of the document among the items of the source. Rejected items count.
	Item int
	neardup.Decision
	// LeaderItem is the item index of the leader; a new document has its own. It is -1 if the leader belongs to the
	// reference.
	LeaderItem int
	// Known is the number in the reference of the leader, or of the document that this one is a variant of. It is -1 if
	// that document is not in the reference.
	Known int64
}

// report runs the last stage, which turns verdicts into decisions. It calls decided for each document in the order of Keep.
func (j *job) report(ctx context.Context, v *verdicts, decided func(Outcome) error) error {
	digest := NewResultDigest()
	add, err := j.newAdding(v)
	if err != nil {
		return err
	}
	sizes := external.NewTypedArray[position, uint32](j.disk, j.memory(30))
	defer sizes.Close()
	if err := sizes.Grow(v.texts.Len()); err != nil {
		return err
	}
	err = v.each(ctx, func(r rank, i item, p position) error {
		o, leader, err := v.outcome(r, i, p)
		if err != nil {
			return err
		}
		if err := add.document(&o, p, leader); err != nil {
			return err
		}
		digest.Add(o.Decision)
		j.sum.count(&o)
		if o.Decision.Decision != neardup.New {
			if err := v.auditRemoval(&o, p); err != nil {
				return err
			}
		}
		if err := sizes.Update(leader, func(n *uint32) {
			*n++
			if *n == 1 && v.ofReference(leader) {
				*n = 2 // this one and the document it names
			}
		}); err != nil {
			return err
		}
		return decided(o)
	})
	if err != nil {
		return err
	}
	j.sum.Digest = digest.String()
	if err := add.end(ctx, digest); err != nil {
		return err
	}
	err = j.finishAudit(ctx, func(p position) (bool, error) {
		st, err := v.states.Get(p)
		return st.duplicate(), err
	})
	if err != nil {
		return err
	}
	c := clusters{job: j, verdicts: v, sizes: sizes}
	if j.cfg.Clusters != nil {
		if err := c.each(ctx, j.cfg.Clusters); err != nil {
			return err
		}
	}
	return c.largest(ctx)
}

// count adds the decision on a document to the counts.
func (s *Outcomes) count(o *Outcome) {
	add := func(n *int64, is bool) {
		if is {
			*n++
		}
	}
	kept := o.Decision.Decision == neardup.New
	add(&s.Kept, kept)
	add(&s.Variants, kept && o.VariantOf != "")
	add(&s.Overlaps, kept && (o.Relation == neardup.Overlaps || o.Relation == neardup.ContainedIn))
	add(&s.Unsure, kept && o.Relation == neardup.Unsure)
	add(&s.Removed, !kept)
	add(&s.Equal, !kept && o.Basis == neardup.BasisEqual)
	add(&s.Contained, !kept && o.Basis == neardup.BasisContained)
}

// auditRemoval reports a removal to the audit, along with the leader or, in a component, the document it is most similar
// to.
func (v *verdicts) auditRemoval(o *Outcome, p position) error {
	if v.audit == nil {
		return nil
	}
	other := item(o.LeaderItem)
	if o.Via != "" {
		st, err := v.states.Get(p)
		if err != nil {
			return err
		}
		other, err = v.firstOf(st.via)
		if err != nil {
			return err
		}
	}
	v.audit.Near(uint32(o.Item), uint32(other), o.Similarity, o.Basis)
	return nil
}

// outcome returns the decision on one document, and the text of its leader.
func (v *verdicts) outcome(r rank, i item, p position) (o Outcome, leader position, err error) {
	row, err := v.texts.Get(p)
	if err != nil {
		return o, 0, err
	}
	st, err := v.states.Get(p)
	if err != nil {
		return o, 0, err
	}
	o.Item, o.LeaderItem, o.Known = int(i), int(i), -1
	o.ID, err = v.id(i)
	if err != nil {
		return o, 0, err
	}
	switch {
	case !st.duplicate() && row.first == r:
		o.Decision.Decision, o.Method = neardup.New, v.routes.name(row.route)
		if row.blank {
			o.Basis = neardup.BasisBlank
		}
		return o, p, v.variant(&o, p, st)
	case v.weakest != nil:
		leader, err = v.ofComponent(&o, r, p, row, st)
	case !st.duplicate(): // a copy of a leader
		leader, err = p, v.duplicate(&o, p, v.equalMatch(row))
	default:
		st, err = v.latest(st, r)
		if err == nil {
			leader, err = st.leader, v.duplicate(&o, st.leader, v.bases.match(st.matchRow))
		}
	}
	return o, leader, err
}

func (v *verdicts) duplicate(o *Outcome, leader position, m neardup.Match) error {
	i, err := v.firstOf(leader)
	if err != nil {
		return err
	}
	o.LeaderItem = int(i)
	if v.ofReference(leader) {
		o.LeaderItem = -1
	}
	if err := v.known(o, leader); err != nil {
		return err
	}
	o.Decision.Decision = neardup.Duplicate
	o.Similarity, o.Method, o.Basis = m.Similarity, m.Method, m.Basis
	if m.Distance >= 0 {
		o.Distance = &m.Distance
	}
	o.Leader, err = v.id(i)
	if err != nil || o.LeaderItem < 0 {
		return err
	}
	o.KeptBy, err = v.keep.key(item(o.Item), i, o.ID == o.Leader)
	return err
}

// known sets the number in the reference of a leader.
func (v *verdicts) known(o *Outcome, leader position) error {
	if !v.ofReference(leader) {
		return nil
	}
	row, err := v.texts.Get(leader)
	if err != nil {
		return err
	}
	n, err := v.number(row.first)
	o.Known = int64(n)
	return err
}

// variant adds the leader that a new document is a variant of, and the evidence.
func (v *verdicts) variant(o *Outcome, p position, st state) error {
	if st.grade != variant && st.grade != unsure {
		return nil
	}
	i, err := v.firstOf(st.leader)
	if err != nil {
		return err
	}
	o.VariantOf, err = v.id(i)
	if err != nil {
		return err
	}
	o.Conflicts, err = v.conflicts(p, st.leader)
	if err != nil {
		return err
	}
	if err := v.known(o, st.leader); err != nil {
		return err
	}
	o.Relation, o.Probability = neardup.RelationOf(st.grade == unsure, o.Conflicts), st.similarity
	v.audit.Variant(uint32(o.Item), uint32(i), st.similarity, o.Conflicts)
	return nil
}

// conflicts returns the evidence for and against two texts being the same, if the method has any.
func (v *verdicts) conflicts(a, b position) ([]neardup.Conflict, error) {
	m, ok := v.method.(neardup.TwoStage)
	if !ok {
		return nil, nil
	}
	own, err := v.view(a)
	if err != nil {
		return nil, err
	}
	other, err := v.view(b)
	if err != nil {
		return nil, err
	}
	return m.Explain(own, other).Evidence, nil
}

// latest returns the best leader of a duplicate text, as of the copy at a rank.
func (v *verdicts) latest(st state, at rank) (state, error) {
	best := st
	err := v.late.each(st, func(late state) error {
		row, err := v.texts.Get(late.leader)
		if err == nil && row.first < at && late.strength().beats(best.strength()) {
			best = late
		}
		return err
	})
	return best, err
}
