package batch

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/neardup/neardup"
)

// decisions calls decided for each document in the order of Keep.
func (r *run) decisions(ctx context.Context, decided func(Outcome) error) error {
	digest := NewResultDigest()
	sizes := newArray[uint32](r.disk, r.cfg.Memory*3/100)
	defer sizes.close()
	for range r.texts.len() {
		if _, err := sizes.add(0); err != nil {
			return err
		}
	}
	err := r.eachDocument(ctx, func(rank, item, pos uint32) error {
		o, leader, err := r.outcome(rank, item, pos)
		if err != nil {
			return err
		}
		digest.Add(o.Decision)
		if o.Decision.Decision == neardup.New {
			r.sum.Kept++
		} else {
			r.sum.Removed++
		}
		if err := sizes.update(int(leader), func(n *uint32) { *n++ }); err != nil {
			return err
		}
		return decided(o)
	})
	if err != nil {
		return err
	}
	r.sum.Digest = digest.String()
	if r.cfg.Clusters != nil {
		if err := r.clusters(ctx, sizes, r.cfg.Clusters); err != nil {
			return err
		}
	}
	return r.largest(ctx, sizes)
}

// eachDocument calls fn with every document in the order of Keep: its rank,
// its item and its text.
func (r *run) eachDocument(ctx context.Context, fn func(rank, item, pos uint32) error) error {
	n := r.docs.len()
	if r.ranked != nil {
		n = r.ranked.len()
	}
	for rank := range n {
		if rank&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		item, err := r.item(uint32(rank))
		if err != nil {
			return err
		}
		d, err := r.docs.get(int(item))
		if err != nil {
			return err
		}
		if d.text == 0 {
			continue
		}
		if err := fn(uint32(rank), item, d.text-1); err != nil {
			return err
		}
	}
	return nil
}

// outcome says what became of one document, and of which text its leader is.
func (r *run) outcome(rank, item, pos uint32) (o Outcome, leader uint32, err error) {
	row, err := r.texts.get(int(pos))
	if err != nil {
		return o, 0, err
	}
	st, err := r.states.get(int(pos))
	if err != nil {
		return o, 0, err
	}
	o.Item = int(item)
	if o.ID, err = r.id(item); err != nil {
		return o, 0, err
	}
	if !st.duplicate && row.first == rank {
		o.Decision.Decision, o.Method, o.LeaderItem = neardup.New, r.methodOf(row), int(item)
		return o, pos, nil
	}
	if st.duplicate && r.cfg.Link == Components {
		leader, err = r.component(&o, rank, pos, row, st)
		return o, leader, err
	}
	m := r.equalMatch(row)
	leader = pos
	if st.duplicate {
		if st, err = r.latest(st, pos, rank); err != nil {
			return o, 0, err
		}
		m, leader = r.names.match(st), st.leader
	}
	err = r.duplicate(&o, leader, m)
	if r.cfg.Link == Components {
		o.Via = o.Leader // an equal text
	}
	return o, leader, err
}

func (r *run) duplicate(o *Outcome, leader uint32, m neardup.Match) error {
	item, err := r.firstOf(leader)
	if err != nil {
		return err
	}
	o.LeaderItem = int(item)
	o.Decision.Decision = neardup.Duplicate
	o.Similarity, o.Method, o.Basis = m.Similarity, m.Method, m.Basis
	if m.Distance >= 0 {
		o.Distance = &m.Distance
	}
	o.Leader, err = r.id(item)
	return err
}

// latest returns the best leader of a duplicate text for a copy at a rank.
func (r *run) latest(st state, pos, rank uint32) (state, error) {
	for _, l := range r.late[pos] {
		row, err := r.texts.get(int(l.leader))
		if err != nil {
			return st, err
		}
		if row.first < rank && r.names.match(l.state).Better(r.names.match(st)) {
			st = l.state
		}
	}
	return st, nil
}

// nameTable numbers the pairs of method and basis, of which there are few.
type nameTable struct {
	mu    sync.RWMutex
	names []name
}

type name struct{ method, basis string }

func newNameTable() *nameTable { return &nameTable{} }

func (t *nameTable) number(m neardup.Match) (uint8, error) {
	want := name{m.Method, m.Basis}
	t.mu.RLock()
	i := slices.Index(t.names, want)
	t.mu.RUnlock()
	if i >= 0 {
		return uint8(i), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.names, want); i >= 0 {
		return uint8(i), nil
	}
	if len(t.names) == 256 {
		return 0, errManyNames
	}
	t.names = append(t.names, want)
	return uint8(len(t.names) - 1), nil
}

// match returns the match that a state remembers.
func (t *nameTable) match(s state) neardup.Match {
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := t.names[s.basis]
	return neardup.Match{Similarity: s.sim, Distance: int(s.dist), Near: true, Method: n.method, Basis: n.basis}
}

func nextDocs(s *docSource) (Block, error) {
	if len(s.docs) == 0 {
		return nil, io.EOF
	}
	n := min(len(s.docs), 256)
	b := docBlock(s.docs[:n])
	s.docs = s.docs[n:]
	return b, nil
}

type docBlock []neardup.Document

func (b docBlock) Decode(item func(*neardup.Document, error)) {
	for i := range b {
		item(&b[i], nil)
	}
}
