package batch

import (
	"context"
	"math"

	"github.com/neardup/neardup"
)

// Link says what makes texts one cluster.
type Link string

const (
	// ByLeader: a duplicate is near its leader. Nothing is removed through a
	// chain of others.
	ByLeader Link = "leader"
	// Components: connected components of the graph of all near pairs, as
	// most programs do. The first document of each is kept; a duplicate names
	// the document it is most similar to (Via), which may be far from it.
	Components Link = "components"
)

// components decides all texts by connected components.
func (r *run) components(ctx context.Context) error {
	all, rows, err := r.matches(ctx)
	if err != nil {
		return err
	}
	defer all.close()
	defer rows.close()
	forest := &forest{run: r, parent: newArray[uint32](r.disk, r.cfg.Memory*3/100), weakest: map[uint32]edge{}}
	defer forest.parent.close()
	for pos := range r.texts.len() {
		if _, err := forest.parent.add(uint32(pos)); err != nil {
			return err
		}
		if _, err := r.states.add(state{}); err != nil {
			return err
		}
	}
	bySimilarity := newSorter[pair](r.disk, r.cfg.Memory*6/100)
	err = all.each(ctx, func(p pair) error {
		row, err := rows.get(int(p.val()))
		if err != nil {
			return err
		}
		if err := r.nearest(uint32(p.key()>>32), uint32(p.key()), row); err != nil {
			return err
		}
		return bySimilarity.add(pair{math.MaxUint64 - math.Float64bits(row.sim), p.key()})
	})
	if err != nil {
		return err
	}
	edges, err := bySimilarity.sort()
	if err != nil {
		return err
	}
	defer edges.close()
	if err := edges.each(ctx, forest.join); err != nil {
		return err
	}
	return forest.lead()
}

// nearest remembers for both texts of a match the one they are most similar
// to, the earliest of equal ones.
func (r *run) nearest(a, b uint32, row matchRow) error {
	for _, of := range [][2]uint32{{a, b}, {b, a}} {
		err := r.states.update(int(of[0]), func(s *state) {
			if !s.duplicate || row.sim > s.sim || row.sim == s.sim && of[1] < s.via {
				*s = state{sim: row.sim, dist: row.dist, basis: row.basis, via: of[1], duplicate: true}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type edge struct {
	a, b uint32
	sim  float64
}

// forest joins texts by their edges from the most similar one down (Kruskal),
// so that the last edge that joined two parts of a component is the weakest
// link among those that hold it together.
type forest struct {
	run     *run
	parent  *array[uint32]
	weakest map[uint32]edge // by root, of components of several texts
}

func (f *forest) root(pos uint32) (uint32, error) {
	for {
		up, err := f.parent.get(int(pos))
		if err != nil || up == pos {
			return pos, err
		}
		top, err := f.parent.get(int(up))
		if err != nil {
			return 0, err
		}
		if err := f.parent.update(int(pos), func(p *uint32) { *p = top }); err != nil {
			return 0, err
		}
		pos = top
	}
}

func (f *forest) join(p pair) error {
	e := edge{uint32(p.val() >> 32), uint32(p.val()), math.Float64frombits(math.MaxUint64 - p.key())}
	a, err := f.root(e.a)
	if err != nil {
		return err
	}
	b, err := f.root(e.b)
	if err != nil || a == b {
		return err
	}
	keep, drop := min(a, b), max(a, b)
	delete(f.weakest, drop)
	f.weakest[keep] = e
	return f.parent.update(int(drop), func(p *uint32) { *p = keep })
}

// lead makes the first text of each component its leader.
func (f *forest) lead() error {
	for pos := range f.run.texts.len() {
		root, err := f.root(uint32(pos))
		if err != nil {
			return err
		}
		err = f.run.states.update(pos, func(s *state) {
			s.leader = root
			s.duplicate = int(root) != pos
		})
		if err != nil {
			return err
		}
	}
	f.run.weakest = f.weakest
	return nil
}

// component says what became of one document of a component.
func (r *run) component(o *Outcome, rank, pos uint32, row textRow, st state) (leader uint32, err error) {
	m, via := r.names.match(st), st.via
	if row.first != rank {
		m, via = r.equalMatch(row), pos
	}
	if err := r.duplicate(o, st.leader, m); err != nil {
		return 0, err
	}
	link, err := r.firstOf(via)
	if err != nil {
		return 0, err
	}
	o.Via, err = r.id(link)
	return st.leader, err
}

// weakestLink describes the weakest link of the component of a text, nil
// where there is none.
func (r *run) weakestLink(pos uint32) (*Pair, error) {
	e, ok := r.weakest[pos]
	if !ok {
		return nil, nil
	}
	p := &Pair{Match: neardup.Match{Similarity: e.sim, Distance: -1, Near: true}}
	for _, end := range []struct {
		pos uint32
		id  *string
	}{{min(e.a, e.b), &p.A}, {max(e.a, e.b), &p.B}} {
		item, err := r.firstOf(end.pos)
		if err != nil {
			return nil, err
		}
		if *end.id, err = r.id(item); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// firstOf returns the item of a text's first document.
func (r *run) firstOf(pos uint32) (uint32, error) {
	row, err := r.texts.get(int(pos))
	if err != nil {
		return 0, err
	}
	return r.item(row.first)
}
