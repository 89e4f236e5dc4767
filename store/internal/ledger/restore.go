package ledger

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// restoration rebuilds an index from its changes. The row of its identity marks the index as unfinished, so a restart keeps
// that state.
type restoration struct{ *index }

// Restore starts or continues to rebuild an index.
func (s *Store) Restore(ctx context.Context, tenant string, id docid.Identity) (docid.Restoration, error) {
	if s.follower != nil {
		return nil, fmt.Errorf("%w: the store follows a log (rebuild it without the log)", docid.ErrInvalid)
	}
	id.Epochs = nil
	err := s.do(ctx, func(b *writes) (func(), error) {
		ix := s.index(tenant)
		switch {
		case ix == nil:
			return s.createIndex(b, tenant, id, true)
		case ix.unfinished && sameIdentity(ix.identity, id):
			return nil, nil
		case ix.head > 0:
			return nil, docid.ErrOccupied
		case ix.unfinished: // Repeat has prepared it
			return s.replaceIndex(b, ix, id, true), nil
		}
		return s.emptied(b, ix, id), nil
	})
	if err != nil {
		return nil, fmt.Errorf("rebuild the index of tenant %q: %w", tenant, err)
	}
	return restoration{s.index(tenant)}, nil
}

func sameIdentity(a, b docid.Identity) bool {
	return a.Seed == b.Seed && a.Key == b.Key && a.Spec == b.Spec && string(a.Table) == string(b.Table) && a.Created == b.Created
}

// replaceIndex rewrites the identity of an index, which keeps its number.
func (s *Store) replaceIndex(b *writes, ix *index, id docid.Identity, unfinished bool) func() {
	b.set(ix.row(), &ix.id, &id, &unfinished)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		ix.identity, ix.unfinished = id, unfinished
	}
}

// emptied prepares an index without changes for a rebuild. It replaces the identity and removes the sinks.
func (s *Store) emptied(b *writes, ix *index, id docid.Identity) func() {
	for sink := range ix.sinks {
		b.Delete(sinkKey(ix.id, sink))
	}
	clear(ix.sinks)
	return s.replaceIndex(b, ix, id, true)
}

// Append replays changes. They become durable together.
func (r restoration) Append(ctx context.Context, cs []*docid.Change) error {
	var refused error
	err := r.store.do(ctx, func(b *writes) (func(), error) {
		var made []*change
		for _, c := range cs {
			t := newChange(r.index, b, c, c.Seq)
			t.restores = true
			refused = t.again()
			if refused != nil {
				refused = fmt.Errorf("change %d: %w", c.Seq, refused)
				break
			}
			made = append(made, t)
		}
		return publishAll(made), nil
	})
	if err != nil {
		return err
	}
	return refused
}

// again applies a change that already has its number and entry.
func (t *change) again() error {
	if t.Seq != t.ix.head+1 && (t.Kind != docid.KindEpoch || t.Seq <= t.ix.head) {
		return fmt.Errorf("%w: the last change is %d", docid.ErrInvalid, t.ix.head)
	}
	if t.Kind == docid.KindEpoch {
		t.logEpoch()
		return nil
	}
	_, err := t.apply()
	return err
}

// Finish makes the index available.
func (r restoration) Finish(ctx context.Context, past uint64) error {
	c, err := epochBegins()
	if err != nil {
		return err
	}
	return r.store.do(ctx, func(b *writes) (func(), error) {
		opened := r.store.replaceIndex(b, r.index, r.identity, false)
		if past == 0 {
			return opened, nil
		}
		t := newChange(r.index, b, c, max(past, r.head)+1)
		t.logEpoch()
		return func() { t.publish(); opened() }, nil
	})
}
