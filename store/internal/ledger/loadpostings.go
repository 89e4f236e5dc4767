package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup/docid"
)

// loadPostings opens the segments and posts in memory what came after them. A
// folder that has none, an older program's, gets them in the background
// once it is open: its postings lie in memory until then.
func (ix *index) loadPostings(ctx context.Context, r Reader) error {
	from, err := ix.loadSegments(r)
	if err != nil {
		return err
	}
	ix.settled = from
	if len(ix.posts.levels.Load().segments) >= fanout {
		ix.store.wake() // stops leave some that nobody has merged
	}
	if err := ix.postJoined(ctx, r, from); err != nil {
		return err
	}
	for from < ix.head {
		to, full, err := ix.postLeaders(ctx, r, from)
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

// loadSegments opens the segments, removes rows that a crash left of others,
// and returns the last change whose postings they hold.
func (ix *index) loadSegments(r Reader) (to uint64, err error) {
	headers := map[uint64]header{}
	prefix := ix.key(spaceSegment)
	err = r.Scan(prefix, after(prefix), func(k, v []byte) error {
		var h header
		err := decode(k, v, h.get)
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
	return to, ix.dropLeftovers(r, headers)
}

// dropLeftovers removes rows of segments without a header.
func (ix *index) dropLeftovers(r Reader, headers map[uint64]header) error {
	b := ix.store.kv.Batch()
	defer b.Close()
	dropped := false
	for _, space := range []byte{spacePosting, spacePiece} {
		for n := uint64(0); ; n++ {
			next, err := firstNumber(r, ix.key(space, n), after(ix.key(space)))
			if err != nil {
				return err
			}
			if next == nil {
				break
			}
			n = *next
			if _, counts := headers[n]; counts {
				continue
			}
			if err := dropRows(b, &segment{tenant: ix.id, number: n}); err != nil {
				return err
			}
			dropped = true
			ix.segments = max(ix.segments, n)
		}
	}
	if !dropped {
		return nil
	}
	return b.Commit()
}

// firstNumber is the first number of the first key in a range, nil if there is none.
func firstNumber(r Reader, from, to []byte) (first *uint64, err error) {
	err = r.Scan(from, to, func(k, _ []byte) error {
		n := number(k, 0)
		first = &n
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return first, err
}

// postLeaders posts the leaders after a change, with their names, until the
// table in memory is full, and returns the change up to which it did.
func (ix *index) postLeaders(ctx context.Context, r Reader, from uint64) (to uint64, full bool, err error) {
	b := newBulk(ix.posts.levels.Load().active)
	defer b.close()
	to = ix.head
	err = r.Scan(ix.key(spaceLeader, from+1), after(ix.key(spaceLeader)), func(k, v []byte) error {
		row := leaderRow{seq: number(k, 0)}
		if err := decode(k, v, row.get); err != nil {
			return err
		}
		n, _ := ix.posts.find(row.seq)
		b.post(row.seq, n, row.keys...)
		if int(b.table.keys.Load()) >= ix.store.inMemory {
			to, full = row.seq, true
			return errStop
		}
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, errStop) {
		return to, full, err
	}
	return to, full, ix.postNames(ctx, r, b, ix.key(spaceName, from+1), ix.key(spaceName, to+1), 0)
}

// postJoined posts the names that changes after the segments gave to docIds
// that were there before; those of a docId are posted all again.
func (ix *index) postJoined(ctx context.Context, r Reader, from uint64) error {
	if from == 0 {
		return nil
	}
	joined := map[uint64]uint64{}
	err := r.Scan(ix.key(spaceLog, from+1), after(ix.key(spaceLog)), func(k, v []byte) error {
		e := docid.Entry{Seq: number(k, 0)}
		if err := decode(k, v, func(d *decoder) { getEntry(d, &e) }); err != nil {
			return err
		}
		if (e.Kind == docid.KindDuplicate || e.Kind == docid.KindCorrect) && e.Leader <= from {
			joined[e.Leader] = e.Seq
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	b := newBulk(ix.posts.levels.Load().active)
	defer b.close()
	for leader, seq := range joined {
		if _, l := ix.posts.find(leader); l == nil {
			continue // it has ended
		}
		prefix := ix.key(spaceName, leader)
		if err := ix.postNames(ctx, r, b, prefix, after(prefix), seq); err != nil {
			return err
		}
	}
	return nil
}

// postNames posts every name in a range of rows by one posting of its leader, of change seq or,
// where that is 0, of the leader's own.
func (ix *index) postNames(ctx context.Context, r Reader, b *bulk, from, to []byte, seq uint64) error {
	var leader uint64
	var names []uint64
	flush := func() error {
		if len(names) == 0 {
			return nil
		}
		n, l := ix.posts.find(leader)
		if l == nil {
			return fmt.Errorf("%w: a name leads to leader %d, which is missing", docid.ErrCorrupt, leader)
		}
		by := seq
		if by == 0 {
			by = leader
		}
		b.post(by, n, names...)
		names = names[:0]
		return ctx.Err()
	}
	err := r.Scan(from, to, func(k, v []byte) error {
		if err := decode(k, v, func(*decoder) {}); err != nil {
			return err
		}
		if of := number(k, 0); of != leader {
			if err := flush(); err != nil {
				return err
			}
			leader = of
		}
		var name docid.Name
		copy(name[:], k[13:])
		names = append(names, nameHash(name))
		return nil
	})
	return errors.Join(err, flush())
}
