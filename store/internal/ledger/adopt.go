package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// adopt makes rows of an earlier format, or none, those of this one, in one batch.
func adopt(ctx context.Context, kv KV) error {
	v, err := kv.Snapshot()
	if err != nil {
		return err
	}
	defer v.Close()
	was, err := version(v)
	if err != nil || was == formatVersion {
		return err
	}
	b := kv.Batch()
	defer b.Close()
	err = v.Scan([]byte{spaceIndex}, []byte{spaceIndex + 1}, func(k, value []byte) error {
		ix := newIndex(nil, string(k[1:]), 0, docid.Identity{})
		err := decode(k, value, func(d *decoder) { getIdentity(d, &ix.id, &ix.identity) })
		if err == nil && was < 5 {
			err = ix.adoptNames(ctx, v, b)
		}
		if err == nil {
			err = ix.adoptSinks(v, b)
		}
		if err != nil {
			return fmt.Errorf("index of tenant %q, of format %d: %w", ix.tenant, was, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	key := []byte{spaceFormat}
	if err := b.Set(key, sealed(key, func(e *encoder) { e.uint(formatVersion) })); err != nil {
		return err
	}
	return b.Commit()
}

// adoptNames writes which change posted a name. Until format 5 that was not known where a later
// change posted it than the one that made the docId: every start posted the names of a docId that lies in
// a segment again, as of the last change after the segments that may have brought one.
func (ix *index) adoptNames(ctx context.Context, r Reader, b Batch) error {
	settled := uint64(0)
	prefix := ix.key(spaceSegment)
	err := r.Scan(prefix, after(prefix), func(k, v []byte) error {
		var h header
		err := decode(k, v, h.get)
		settled = max(settled, h.to)
		return err
	})
	if err != nil {
		return err
	}
	joined, err := ix.joined(ctx, r, settled)
	if err != nil {
		return err
	}
	for leader, seq := range joined {
		prefix := ix.key(spaceName, leader)
		err := r.Scan(prefix, after(prefix), func(k, _ []byte) error {
			return b.Set(k, sealed(k, nameRow{seq, leader}.put))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// adoptSinks writes where the articles begin that wait. Until format 6 a start took the first that does.
func (ix *index) adoptSinks(r Reader, b Batch) error {
	first := uint64(0)
	prefix := ix.key(spaceOutbox)
	err := r.Scan(prefix, after(prefix), func(k, _ []byte) error {
		first = number(k, 0)
		return errStop
	})
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	prefix = ix.key(spaceSink)
	return r.Scan(prefix, after(prefix), func(k, v []byte) error {
		row := sinkRow{oldest: first}
		err := decode(k, v, row.get)
		return errors.Join(err, b.Set(k, sealed(k, row.put)))
	})
}
