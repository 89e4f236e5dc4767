package ledger

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/neardup/neardup/docid"
)

// load reads the format version and every index, with all leaders and members in order, but no texts.
func (s *Store) load(ctx context.Context, follows bool) error {
	if err := stamp(s.kv); err != nil {
		return err
	}
	_, followed, err := s.logPosition()
	switch {
	case err != nil:
		return err
	case followed && !follows:
		return fmt.Errorf("%w: the store follows a log (serve it with --log)", docid.ErrInvalid)
	}
	err = atSnapshot(s.kv, func(v Snapshot) error {
		return eachIndex(v, func(ix *index, err error) error {
			ix.store, s.indexes[ix.tenant], s.last = s, ix, max(s.last, ix.id)
			if err == nil {
				err = ix.load(ctx, v)
			}
			if err != nil {
				err = fmt.Errorf("load index of tenant %q: %w", ix.tenant, err)
			}
			return err
		})
	})
	if w, ok := s.kv.(Witnessed); ok && err == nil {
		err = s.holds(w.Heads())
	}
	if err != nil {
		return err
	}
	return s.begin(followed)
}

// version returns the format version, or 0 if there is none. It returns ErrNewerFormat or ErrOlderFormat for
// another version.
func version(r Reader) (uint64, error) {
	var version uint64
	there, err := read(r, []byte{spaceFormat}, &version)
	switch {
	case err != nil || !there:
	case version > formatVersion:
		err = fmt.Errorf("%w: index of format %d (want %d)", docid.ErrNewerFormat, version, formatVersion)
	case version < formatVersion:
		err = fmt.Errorf("%w: index of format %d (want %d)", docid.ErrOlderFormat, version, formatVersion)
	}
	return version, err
}

// load reads the in-memory state of one index.
func (ix *index) load(ctx context.Context, r Reader) (err error) {
	ix.head, err = ix.lastBefore(r, maxPast)
	if err != nil {
		return err
	}
	ix.posts.recent.from = ix.head
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

// logged reports whether there is a change with from <= seq < before.
func (ix *index) logged(r Reader, from, before uint64) (bool, error) {
	err := r.Scan(ix.key(spaceLog, from), ix.key(spaceLog, before), func([]byte, []byte) error { return errStop })
	return errors.Is(err, errStop), enough(err)
}

// lastBefore finds the last change before a number by binary search. It returns 0 if there is none.
func (ix *index) lastBefore(r Reader, before uint64) (last uint64, err error) {
	n := sort.Search(int(before), func(i int) bool {
		there, failed := ix.logged(r, uint64(i)+1, before)
		err = errors.Join(err, failed)
		return !there || err != nil
	})
	return uint64(n), err
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
			return scan(r, ix.key(spaceMember), func(k, v []byte) error {
				leader := number(k, 0)
				if n := len(sizes); n == 0 || sizes[n-1].leader != leader {
					sizes = append(sizes, joined{leader: leader})
				}
				sizes[len(sizes)-1].size++
				var nid string
				err := decode(k, v, &nid)
				ix.nids.add(nid)
				return errors.Join(err, ctx.Err())
			})
		})
	}()
	err := ix.loadLeaders(ctx, r)
	if err := errors.Join(err, <-done); err != nil {
		return err
	}
	members := int64(0)
	for _, s := range sizes {
		_, l := ix.posts.find(s.leader)
		if l == nil {
			return fmt.Errorf("%w: member of leader %d: the leader is missing", docid.ErrCorrupt, s.leader)
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
	return scan(r, ix.key(spaceLeader), func(k, v []byte) error {
		c, err := open(k, v)
		if err != nil {
			return err
		}
		var head leaderHead
		c.all([]any{&head})
		c.b = nil // the other fields are not needed
		if err := c.close(k); err != nil {
			return err
		}
		ix.posts.lead(number(k, 0), head.Sketch, head.Time)
		return ctx.Err()
	})
}
