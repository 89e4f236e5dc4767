package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// load reads the format version, then every index. It reads leaders, names
// and members in order, never a text.
func (s *Store) load(ctx context.Context) error {
	if err := s.format(); err != nil {
		return err
	}
	v, err := s.kv.View()
	if err != nil {
		return err
	}
	defer v.Close()
	err = v.Scan([]byte{spaceIndex}, []byte{spaceIndex + 1}, func(k, value []byte) error {
		ix := newIndex(s, string(k[1:]), 0, docid.Identity{})
		err := decode(k, value, func(d *decoder) { getIdentity(d, &ix.id, &ix.identity) })
		s.indexes[ix.tenant] = ix
		s.last = max(s.last, ix.id)
		return err
	})
	if err != nil {
		return err
	}
	for _, ix := range s.indexes {
		if err := ix.load(ctx, v); err != nil {
			return fmt.Errorf("load index of tenant %q: %w", ix.tenant, err)
		}
	}
	if w, ok := s.kv.(Witnessed); ok {
		if err := s.holds(w.Heads()); err != nil {
			return err
		}
	}
	return s.begin()
}

// format refuses what a newer version wrote and marks what is empty.
func (s *Store) format() error {
	v, err := s.kv.View()
	if err != nil {
		return err
	}
	defer v.Close()
	if s.version, err = version(v); err != nil || s.version > 0 {
		return err
	}
	b := s.kv.Batch()
	defer b.Close()
	if err := setFormat(b, formatFirst); err != nil {
		return err
	}
	s.version = formatFirst
	return b.Commit()
}

// raise makes the folder one of the present format.
func (s *Store) raise(b Batch) error {
	if s.version == formatVersion {
		return nil
	}
	s.version = formatVersion
	return setFormat(b, formatVersion)
}

func setFormat(b Batch, version uint64) error {
	key := []byte{spaceFormat}
	return b.Set(key, sealed(key, func(e *encoder) { e.uint(version) }))
}

// version reads the format version, 0 if there is none: ErrNewerFormat.
func version(r Reader) (uint64, error) {
	var version uint64
	_, err := read(r, []byte{spaceFormat}, func(d *decoder) { version = d.uint() })
	if err == nil && version > formatVersion {
		err = fmt.Errorf("%w: format %d, this one knows %d", docid.ErrNewerFormat, version, formatVersion)
	}
	return version, err
}

// load fills the table in memory of one index.
func (ix *index) load(ctx context.Context, r Reader) error {
	if err := ix.loadHead(ctx, r); err != nil {
		return err
	}
	if err := ix.loadEpochs(r); err != nil {
		return err
	}
	if err := ix.loadTable(ctx, r); err != nil {
		return err
	}
	if err := ix.loadMembers(ctx, r); err != nil {
		return err
	}
	if err := ix.loadIdempotency(ctx, r); err != nil {
		return err
	}
	if err := ix.loadSinks(r); err != nil {
		return err
	}
	ix.durable.Store(ix.head)
	return nil
}

// loadTable posts leaders and names.
func (ix *index) loadTable(ctx context.Context, r Reader) error {
	b := newBulk(&ix.table)
	defer b.close()
	if err := ix.loadLeaders(ctx, r, b); err != nil {
		return err
	}
	return ix.loadNames(ctx, r, b)
}

// loadHead finds the last change by halving: the log has no gaps.
func (ix *index) loadHead(_ context.Context, r Reader) error {
	exists := func(seq uint64) (bool, error) {
		found := false
		err := r.Scan(ix.key(spaceLog, seq), after(ix.key(spaceLog)), func(k, _ []byte) error {
			found = true
			return errStop
		})
		if errors.Is(err, errStop) {
			err = nil
		}
		return found, err
	}
	low, high := uint64(0), uint64(1) // low exists or is 0
	for {
		ok, err := exists(high)
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
		ok, err := exists(mid)
		if err != nil {
			return err
		}
		if ok {
			low = mid
		} else {
			high = mid
		}
	}
	ix.head = low
	return nil
}

func (ix *index) loadLeaders(ctx context.Context, r Reader, b *bulk) error {
	prefix := ix.key(spaceLeader)
	return r.Scan(prefix, after(prefix), func(k, v []byte) error {
		row := leaderRow{seq: number(k, 0)}
		if err := decode(k, v, row.get); err != nil {
			return err
		}
		b.post(row.seq, ix.table.lead(row.seq, row.sketch, row.time), row.keys...)
		ix.leaders.Add(1)
		return ctx.Err()
	})
}

// loadNames posts every name of a leader by one posting of its own.
func (ix *index) loadNames(ctx context.Context, r Reader, b *bulk) error {
	prefix := ix.key(spaceName)
	var leader uint64
	var names []uint64
	flush := func() error {
		if len(names) == 0 {
			return nil
		}
		n, l := ix.table.find(leader)
		if l == nil {
			return fmt.Errorf("%w: a name leads to leader %d, which is missing", docid.ErrCorrupt, leader)
		}
		b.post(leader, n, names...)
		names = names[:0]
		return ctx.Err()
	}
	err := r.Scan(prefix, after(prefix), func(k, v []byte) error {
		if err := decode(k, v, func(*decoder) {}); err != nil {
			return err
		}
		if seq := number(k, 0); seq != leader {
			if err := flush(); err != nil {
				return err
			}
			leader = seq
		}
		var name docid.Name
		copy(name[:], k[len(prefix)+8:])
		names = append(names, nameHash(name))
		return nil
	})
	return errors.Join(err, flush())
}

func (ix *index) loadMembers(ctx context.Context, r Reader) error {
	prefix := ix.key(spaceMember)
	return r.Scan(prefix, after(prefix), func(k, v []byte) error {
		_, l := ix.table.find(number(k, 0))
		if l == nil {
			return fmt.Errorf("%w: a member of leader %d, which is missing", docid.ErrCorrupt, number(k, 0))
		}
		l.size.Add(1)
		ix.members.Add(1)
		var nid string
		if err := decode(k, v, func(d *decoder) { nid = d.string() }); err != nil {
			return err
		}
		ix.seen.add(nidKey(ix.id, nid))
		return ctx.Err()
	})
}

func (ix *index) loadIdempotency(ctx context.Context, r Reader) error {
	prefix := ix.key(spaceIdem)
	return r.Scan(prefix, after(prefix), func(k, _ []byte) error {
		ix.seen.add(k)
		return ctx.Err()
	})
}
