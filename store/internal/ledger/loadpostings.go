package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/neardup/neardup/docid"
)

// loadPostings opens the segments and posts the later changes in memory.
func (ix *index) loadPostings(ctx context.Context, r Reader) error {
	from, err := ix.loadSegments(r)
	if err != nil {
		return err
	}
	ix.settled = from
	if len(ix.posts.levels.Load().segments) >= fanout {
		ix.store.wake() // clean stops may leave segments that should be merged
	}
	if from == ix.head {
		return nil
	}
	names, err := ix.namesAfter(ctx, r, from)
	if err != nil {
		return err
	}
	postNames := func(upTo uint64) error {
		for ; len(names) > 0 && names[0].seq <= upTo; names = names[1:] {
			n, l := ix.posts.find(names[0].leader)
			if l == nil {
				return fmt.Errorf("%w: name of leader %d: the leader is missing", docid.ErrCorrupt, names[0].leader)
			}
			ix.posts.levels.Load().active.post(names[0].seq, n, nameHash(names[0].name))
		}
		return nil
	}
	err = r.Scan(ix.key(spaceLeader, from+1), after(ix.key(spaceLeader)), func(k, v []byte) error {
		var row leaderRow
		seq := number(k, 0)
		if err := decode(k, v, &row); err != nil {
			return err
		}
		if err := postNames(seq); err != nil {
			return err
		}
		active := ix.posts.levels.Load().active
		n, _ := ix.posts.find(seq)
		active.post(seq, n, row.Keys...)
		if int(active.keys.Load()) >= ix.store.inMemory {
			ix.posts.freeze(seq)
			ix.settled = seq
			ix.store.wake()
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return postNames(ix.head)
}

// loadSegments opens the segments, removes rows of segments that a crash left, and returns the last change
// whose postings the segments hold.
func (ix *index) loadSegments(r Reader) (to uint64, err error) {
	headers := map[uint64]header{}
	err = scan(r, ix.key(spaceSegment), func(k, v []byte) error {
		var h header
		err := decode(k, v, &h)
		headers[number(k, 0)] = h
		return err
	})
	if err != nil {
		return 0, err
	}
	l := &levels{active: ix.posts.levels.Load().active}
	for number, h := range headers {
		if h.To > ix.head {
			return 0, fmt.Errorf("%w: segment %d: postings of change %d (the log ends at %d)", docid.ErrCorrupt, number, h.To, ix.head)
		}
		s, err := openSegment(r, ix.id, number, h)
		if err != nil {
			return 0, err
		}
		l.segments = append(l.segments, s)
		ix.segments, to = max(ix.segments, number), max(to, h.To)
	}
	slices.SortFunc(l.segments, func(a, b *segment) int { return cmp.Compare(a.To, b.To) })
	last := uint64(0)
	for _, s := range l.segments {
		if s.From != last {
			return 0, fmt.Errorf("%w: no segment holds the postings of changes %d to %d (neardup rebuild restores them)", docid.ErrCorrupt, last+1, s.From)
		}
		last = s.To
	}
	ix.posts.levels.Store(l)
	return to, ix.dropLeftovers(r, slices.Sorted(maps.Keys(headers)))
}

// dropLeftovers removes the rows between those of complete segments.
func (ix *index) dropLeftovers(r Reader, complete []uint64) error {
	return update(ix.store.kv, func(b *writes) error {
		unused := errStop // nothing to commit
		from := ix.key(spacePosting)
		for i := 0; i <= len(complete); i++ {
			to := after(ix.key(spacePosting))
			if i < len(complete) {
				to = ix.key(spacePosting, complete[i])
			}
			switch err := r.Scan(from, to, func([]byte, []byte) error { return errStop }); {
			case errors.Is(err, errStop):
				unused = nil
				b.DeleteRange(from, to)
			case err != nil:
				return err
			}
			from = after(to)
		}
		return unused
	})
}

// named is a name of a docId, with the change that posted it.
type named struct {
	seq, leader uint64
	name        docid.Name
}

// namesAfter returns the names that changes after one have posted, in the order of the changes. O(names).
func (ix *index) namesAfter(ctx context.Context, r Reader, from uint64) (names []named, err error) {
	err = scan(r, ix.key(spaceName), func(k, v []byte) error {
		n := named{leader: number(k, 0), name: nameOf(k)}
		err := decode(k, v, &n.seq)
		if n.seq > from {
			names = append(names, n)
		}
		return cmp.Or(err, ctx.Err())
	})
	slices.SortFunc(names, func(a, b named) int { return cmp.Compare(a.seq, b.seq) })
	return names, err
}
