// Package ledger implements the docId store on any ordered key-value engine. It contains the rows, the postings in memory,
// the checks, and the single writer that makes check-and-set atomic. An adapter only provides a KV.
package ledger

import (
	"errors"

	"github.com/neardup/neardup/docid"
)

// KV is an ordered map of bytes with atomic batches. Snapshots and batches may be
// used by one goroutine at a time, the KV by many.
type KV interface {
	// Snapshot returns a consistent state. The state is durable, so no part of it can be lost.
	Snapshot() (Snapshot, error)
	// Batch starts a batch. Only one may be open at a time.
	Batch() Batch
	Close() error
}

// Reader reads rows. Get returns nil for a missing row, and the caller may keep the value. Scan visits rows with from <=
// key < to in order until visit returns an error. Key and value are only valid during the visit.
type Reader interface {
	Get(key []byte) ([]byte, error)
	Scan(from, to []byte, visit func(key, value []byte) error) error
}

// atSnapshot runs work on the durable state.
func atSnapshot(kv KV, work func(Snapshot) error) error {
	v, err := kv.Snapshot()
	if err != nil {
		return err
	}
	defer v.Close()
	return work(v)
}

// errStop ends a scan or an update early.
var errStop = errors.New("enough")

// enough returns an error, or nil for errStop.
func enough(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// update runs work on a batch and commits it. An error of work drops the batch, and update returns it, except errStop.
func update(kv KV, work func(*writes) error) error {
	b := &writes{Batch: kv.Batch()}
	defer b.Close()
	if err := work(b); err != nil {
		return enough(err)
	}
	return b.Commit()
}

// scan visits the rows whose keys start with a prefix.
func scan(r Reader, prefix []byte, visit func(key, value []byte) error) error {
	return r.Scan(prefix, after(prefix), visit)
}

// eachIndex visits the indexes in the order of their tenants. damaged is the error of a row that cannot be decoded.
func eachIndex(r Reader, visit func(ix *index, damaged error) error) error {
	return scan(r, []byte{spaceIndex}, func(k, v []byte) error {
		ix := newIndex(nil, string(k[1:]), 0, docid.Identity{})
		return visit(ix, decode(k, v, ix.stored()...))
	})
}

// Snapshot is a Reader of one state.
type Snapshot interface {
	Reader
	Close()
}

// Batch collects writes and reads through them.
type Batch interface {
	Reader
	Set(key, value []byte) error
	Delete(key []byte) error
	DeleteRange(from, to []byte) error
	// Commit makes the batch durable and visible in the next Snapshot. After an error its outcome is unknown,
	// and the KV takes no further batch.
	Commit() error
	Close()
}
