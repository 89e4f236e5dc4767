package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/neardup/neardup/docid"
)

// load reads the format version and every index, with all leaders and members in order, but no texts.
func (s *Store) load(ctx context.Context, follows bool) error {
	if err := stamp(s.kv); err != nil {
		return err
	}
	_, followed, err := s.logPlace()
	switch {
	case err != nil:
		return err
	case followed && !follows:
		return fmt.Errorf("%w: the store follows a log, and is served with it", docid.ErrInvalid)
	}
	v, err := s.kv.Snapshot()
	if err != nil {
		return err
	}
	defer v.Close()
	err = v.Scan([]byte{spaceIndex}, []byte{spaceIndex + 1}, func(k, value []byte) error {
		ix := newIndex(s, string(k[1:]), 0, docid.Identity{})
		err := decode(k, value, ix.fields)
		s.indexes[ix.tenant] = ix
		s.last = max(s.last, ix.id)
		return err
	})
	if err != nil {
		return err
	}
	var heads []Head
	if w, ok := s.kv.(Witnessed); ok {
		heads = w.Heads()
	}
	for _, ix := range s.indexes {
		if err := ix.load(ctx, v); err != nil {
			return fmt.Errorf("load index of tenant %q: %w", ix.tenant, err)
		}
	}
	if err := s.holds(heads); err != nil {
		return err
	}
	return s.begin(followed)
}

// version returns the format version, or 0 if there is none. It returns ErrNewerFormat or ErrOlderFormat for
// another version.
func version(r Reader) (uint64, error) {
	var version uint64
	there, err := read(r, []byte{spaceFormat}, oneUint(&version))
	switch {
	case err != nil || !there:
	case version > formatVersion:
		err = fmt.Errorf("%w: format %d, this one knows %d", docid.ErrNewerFormat, version, formatVersion)
	case version < formatVersion:
		err = fmt.Errorf("%w: format %d, this one knows %d", docid.ErrOlderFormat, version, formatVersion)
	}
	return version, err
}

// load reads the in-memory state of one index.
func (ix *index) load(ctx context.Context, r Reader) error {
	if err := ix.loadHead(ctx, r); err != nil {
		return err
	}
	if err := ix.loadEpochs(r); err != nil {
		return err
	}
	if err := ix.loadLeadersAndMembers(ctx, r); err != nil {
		return err
	}
	if err := ix.loadPostings(ctx, r); err != nil {
		return err
	}
	if err := ix.loadSinks(r); err != nil {
		return err
	}
	if err := ix.loadRules(r); err != nil {
		return err
	}
	ix.durable.Store(ix.head)
	return nil
}

// logged reports whether there is a change from <= seq < before.
func (ix *index) logged(r Reader, from, before uint64) (bool, error) {
	err := r.Scan(ix.key(spaceLog, from), ix.key(spaceLog, before), func([]byte, []byte) error { return errStop })
	if errors.Is(err, errStop) {
		return true, nil
	}
	return false, err
}

// loadHead finds the last change by binary search.
func (ix *index) loadHead(_ context.Context, r Reader) error {
	low, high := uint64(0), uint64(1) // low exists or is 0
	for {
		ok, err := ix.logged(r, high, math.MaxUint64)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		low, high = high, high*2
	}
	for low+1 < high {
		mid := low + (high-low)/2
		ok, err := ix.logged(r, mid, math.MaxUint64)
		if err != nil {
			return err
		}
		if ok {
			low = mid
		} else {
			high = mid
		}
	}
	ix.head, ix.posts.recent.from = low, low
	return nil
}

// loadLeadersAndMembers reads all living docIds and, in parallel, their members.
func (ix *index) loadLeadersAndMembers(ctx context.Context, r Reader) error {
	type joined struct {
		leader uint64
		size   int64
	}
	var sizes []joined
	done := make(chan error, 1)
	go func() {
		done <- ix.atSnapshot(func(r Reader) error {
			prefix := ix.key(spaceMember)
			return r.Scan(prefix, after(prefix), func(k, v []byte) error {
				leader := number(k, 0)
				if n := len(sizes); n == 0 || sizes[n-1].leader != leader {
					sizes = append(sizes, joined{leader: leader})
				}
				sizes[len(sizes)-1].size++
				return errors.Join(decode(k, v, func(c *coder) { ix.nids.add(c.getString()) }), ctx.Err())
			})
		})
	}()
	err := ix.loadLeaders(ctx, r)
	if err = errors.Join(err, <-done); err != nil {
		return err
	}
	members := int64(0)
	for _, s := range sizes {
		_, l := ix.posts.find(s.leader)
		if l == nil {
			return fmt.Errorf("%w: a member of leader %d, which is missing", docid.ErrCorrupt, s.leader)
		}
		l.size.Store(s.size)
		members += s.size
	}
	ix.docIDs = ix.posts.leaders.len()
	ix.leaders.Store(int64(ix.docIDs))
	ix.members.Store(members)
	return nil
}

// loadLeaders reads the living docIds.
func (ix *index) loadLeaders(ctx context.Context, r Reader) error {
	return r.Scan(ix.key(spaceLeader), after(ix.key(spaceLeader)), func(k, v []byte) error {
		row := leaderRow{seq: number(k, 0)}
		if err := decode(k, v, row.short); err != nil {
			return err
		}
		ix.posts.lead(row.seq, row.sketch, row.time)
		return ctx.Err()
	})
}
