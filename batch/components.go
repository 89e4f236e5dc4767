package batch

import (
	"cmp"
	"context"
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// Link selects how texts are joined to clusters.
type Link string

const (
	// ByLeader joins a duplicate to a leader that it is near. No text is removed through a chain.
	ByLeader Link = "leader"
	// Components joins texts to the connected components of the graph of all near pairs, as most programs do. The first
	// document of each component is kept. A duplicate names the document it is most similar to (Via), which may be far from
	// the first one.
	Components Link = "components"
)

// bond is an edge of the graph of texts.
type bond struct {
	a, b       position
	similarity float64
}

// link runs the third stage by connected components.
func (j *job) link(ctx context.Context, v *verifier, from *candidates) (*verdicts, error) {
	all, err := j.match(ctx, v, from)
	if err != nil {
		return nil, err
	}
	defer all.close()
	return j.components(ctx, v, all)
}

// components decides texts from their verified pairs, by connected components.
func (j *job) components(ctx context.Context, v *verifier, all *matches) (*verdicts, error) {
	weakest := external.NewTypedArray[position, bond](j.disk, j.memory(60))
	f := &forest{
		verdicts: &verdicts{verifier: v, states: external.NewTypedArray[position, state](j.disk, j.memory(60)), weakest: &weakest},
		parent:   external.NewTypedArray[position, position](j.disk, j.memory(30)),
	}
	defer f.parent.Close()
	n := v.texts.Len()
	if err := f.states.Grow(n); err != nil {
		return nil, err
	}
	if err := weakest.Grow(n); err != nil {
		return nil, err
	}
	for p := range n {
		if _, err := f.parent.Add(position(p)); err != nil {
			return nil, err
		}
	}
	bySimilarity := external.NewSorter[keyValue](j.disk, j.memory(60))
	err := all.each(ctx, func(later, earlier position, row matchRow) error {
		if !row.removes() {
			return nil
		}
		if err := f.nearest(later, earlier, row); err != nil {
			return err
		}
		return bySimilarity.Add(keyValue{math.MaxUint64 - math.Float64bits(row.similarity), uint64(later)<<32 | uint64(earlier)})
	})
	if err != nil {
		return nil, err
	}
	edges, err := bySimilarity.Sort()
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	if err := edges.Each(ctx, f.join); err != nil {
		return nil, err
	}
	return f.verdicts, f.lead()
}

// forest joins texts by their edges from the most similar one down (Kruskal). So the last edge that joined two
// parts of a component is the weakest link that connects it.
type forest struct {
	*verdicts
	parent external.TypedArray[position, position]
}

// nearest stores for both texts of a match the most similar text, or the earliest of equally similar ones. For a copy, that
// is its original.
func (f *forest) nearest(later, earlier position, row matchRow) error {
	for _, of := range [][2]position{{later, earlier}, {earlier, later}} {
		if row.grade == equal && of[0] == earlier {
			continue
		}
		err := f.states.Update(of[0], func(s *state) {
			if cmp.Or(cmp.Compare(s.grade, row.grade), cmp.Compare(s.similarity, row.similarity), cmp.Compare(of[1], s.via)) < 0 {
				*s = state{matchRow: row, via: of[1]}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *forest) root(p position) (position, error) {
	for {
		up, err := f.parent.Get(p)
		if err != nil || up == p {
			return p, err
		}
		top, err := f.parent.Get(up)
		if err != nil {
			return 0, err
		}
		if err := f.parent.Update(p, func(q *position) { *q = top }); err != nil {
			return 0, err
		}
		p = top
	}
}

func (f *forest) join(p keyValue) error {
	l := bond{position(p.Val() >> 32), position(p.Val()), math.Float64frombits(math.MaxUint64 - p.Key())}
	a, err := f.root(l.a)
	if err != nil {
		return err
	}
	b, err := f.root(l.b)
	if err != nil || a == b {
		return err
	}
	keep, drop := min(a, b), max(a, b)
	if err := f.weakest.Update(keep, func(w *bond) { *w = l }); err != nil {
		return err
	}
	return f.parent.Update(drop, func(q *position) { *q = keep })
}

// lead makes the first text of each component its leader.
func (f *forest) lead() error {
	for p := range position(f.texts.Len()) {
		root, err := f.root(p)
		if err != nil {
			return err
		}
		err = f.states.Update(p, func(s *state) {
			s.leader = root
			if root == p {
				s.grade = none
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ofComponent fills in the decision on one document of a component.
func (v *verdicts) ofComponent(o *Outcome, r rank, p position, row textRow, st state) (leader position, err error) {
	leader, via, m := st.leader, p, v.equalMatch(row) // a copy
	if row.first == r {
		via, m = st.via, v.bases.match(st.matchRow)
	}
	if err := v.duplicate(o, leader, m); err != nil {
		return 0, err
	}
	i, err := v.firstOf(via)
	if err != nil {
		return 0, err
	}
	o.Via, err = v.id(i)
	return leader, err
}

// weakestLink describes the weakest link of the component of a text, or returns nil if there is none.
func (v *verdicts) weakestLink(p position) (*Pair, error) {
	if v.weakest == nil {
		return nil, nil
	}
	l, err := v.weakest.Get(p)
	if err != nil || l.similarity == 0 {
		return nil, err
	}
	out := &Pair{Edge: Edge{Match: neardup.Match{Similarity: l.similarity, Distance: -1, Near: true}}}
	for _, end := range []struct {
		at position
		id *string
	}{{min(l.a, l.b), &out.A}, {max(l.a, l.b), &out.B}} {
		i, err := v.firstOf(end.at)
		if err != nil {
			return nil, err
		}
		*end.id, err = v.id(i)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
