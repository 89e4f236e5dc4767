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
		ix.store.wake() // clean stops may leave segments unmerged
	}
	names, err := ix.namesAfter(ctx, r, from)
	if err != nil {
		return err
	}
	for from < ix.head {
		var to uint64
		var full bool
		to, full, names, err = ix.postLeaders(ctx, r, from, names)
		if err != nil {
			return err
		}
		if full {
			ix.posts.freeze(to)
			ix.settled = to
			ix.store.wake()
		}
		from = to
	}
	return nil
}

// loadSegments opens the segments, removes rows of segments that a crash left, and returns the last change
// whose postings the segments hold.
func (ix *index) loadSegments(r Reader) (to uint64, err error) {
	headers := map[uint64]header{}
	err = scan(r, ix.key(spaceSegment), func(k, v []byte) error {
		var h header
		err := decode(k, v, h.fields)
		headers[number(k, 0)] = h
		return err
	})
	if err != nil {
		return 0, err
	}
	l := &levels{active: ix.posts.levels.Load().active}
	for number, h := range headers {
		if h.to > ix.head {
			return 0, fmt.Errorf("%w: segment %d holds postings of change %d, the log ends at %d", docid.ErrCorrupt, number, h.to, ix.head)
		}
		s, err := openSegment(r, ix.id, number, h)
		if err != nil {
			return 0, err
		}
		l.segments = append(l.segments, s)
		ix.segments, to = max(ix.segments, number), max(to, h.to)
	}
	slices.SortFunc(l.segments, func(a, b *segment) int { return cmp.Compare(a.to, b.to) })
	last := uint64(0)
	for _, s := range l.segments {
		if s.from != last {
			return 0, fmt.Errorf("%w: no segment holds the postings of changes %d to %d; rebuild makes them again", docid.ErrCorrupt, last+1, s.from)
		}
		last = s.to
	}
	ix.posts.levels.Store(l)
	return to, ix.dropLeftovers(r, slices.Sorted(maps.Keys(headers)))
}

// dropLeftovers removes the rows between those of complete segments.
func (ix *index) dropLeftovers(r Reader, complete []uint64) error {
	return update(ix.store.kv, func(b Batch) error {
		unused := errStop // nothing to commit
		from := ix.key(spacePosting)
		for i := 0; i <= len(complete); i++ {
			to := after(ix.key(spacePosting))
			if i < len(complete) {
				to = ix.key(spacePosting, complete[i])
			}
			err := r.Scan(from, to, func([]byte, []byte) error { return errStop })
			if errors.Is(err, errStop) {
				unused, err = nil, b.DeleteRange(from, to)
			}
			if err != nil {
				return err
			}
			from = after(to)
		}
		return unused
	})
}

// posted is a name that a change posted.
type posted struct{ seq, leader, hash uint64 }

// postLeaders posts the leaders and names of the changes after from until the memtable is full. It returns the
// last change that it posted and the remaining names.
func (ix *index) postLeaders(ctx context.Context, r Reader, from uint64, names []posted) (to uint64, full bool, left []posted, err error) {
	active := ix.posts.levels.Load().active
	to = ix.head
	err = r.Scan(ix.key(spaceLeader, from+1), after(ix.key(spaceLeader)), func(k, v []byte) error {
		row := leaderRow{seq: number(k, 0)}
		if err := decode(k, v, row.fields); err != nil {
			return err
		}
		n, _ := ix.posts.find(row.seq)
		active.post(row.seq, n, row.keys...)
		if int(active.keys.Load()) >= ix.store.inMemory {
			to, full = row.seq, true
			return errStop
		}
		return ctx.Err()
	})
	if enough(err) != nil {
		return to, full, nil, err
	}
	for len(names) > 0 && names[0].seq <= to {
		n, l := ix.posts.find(names[0].leader)
		if l == nil {
			return to, full, nil, fmt.Errorf("%w: a name leads to leader %d, which is missing", docid.ErrCorrupt, names[0].leader)
		}
		active.post(names[0].seq, n, names[0].hash)
		names = names[1:]
	}
	return to, full, names, ctx.Err()
}

// namesAfter returns the names that changes after one posted, in the order of the changes.
func (ix *index) namesAfter(ctx context.Context, r Reader, from uint64) (names []posted, err error) {
	add := func(k, v []byte) error {
		p := posted{leader: number(k, 0), hash: nameHash(nameOf(k))}
		err := decode(k, v, oneUint(&p.seq))
		if p.seq > from {
			names = append(names, p)
		}
		return errors.Join(err, ctx.Err())
	}
	if err := r.Scan(ix.key(spaceName, from+1), after(ix.key(spaceName)), add); err != nil {
		return nil, err
	}
	joined, err := ix.joined(ctx, r, from)
	if err != nil {
		return nil, err
	}
	for leader := range joined { // ended docIds have no names
		if err := scan(r, ix.key(spaceName, leader), add); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(names, func(a, b posted) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.hash, b.hash)) })
	return names, nil
}

// joined returns the docIds up to a change to which a later change may have added a name, each with the last
// such change.
func (ix *index) joined(ctx context.Context, r Reader, from uint64) (map[uint64]uint64, error) {
	joined := map[uint64]uint64{}
	if from == 0 {
		return joined, nil
	}
	err := r.Scan(ix.key(spaceLog, from+1), after(ix.key(spaceLog)), func(k, v []byte) error {
		e, err := loggedEntry(k, v)
		if err != nil {
			return err
		}
		if (e.Kind == docid.KindDuplicate || e.Kind == docid.KindCorrect) && e.Leader <= from {
			joined[e.Leader] = e.Seq
		}
		return ctx.Err()
	})
	return joined, err
}
