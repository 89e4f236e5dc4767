package pebble

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// rows implements ledger.KV with a Pebble database. Pebble shows a batch to readers before its fsync has returned. So a
// ledger.Snapshot is taken after the fsync, and a reader never sees a row that could be lost.
type rows struct {
	db   *pebble.DB
	log  *logger
	mu   sync.Mutex
	last *snapshot      // the durable state
	used sync.WaitGroup // open snapshots
	gone atomic.Int64   // rows deleted since the last reclaim
}

// snapshot is a Pebble snapshot that closes with its last user.
type snapshot struct {
	*pebble.Snapshot
	users atomic.Int64
}

func newRows(db *pebble.DB, log *logger) *rows {
	r := &rows{db: db, log: log}
	r.advance()
	return r
}

// advance makes the current state the durable state.
func (r *rows) advance() {
	s := &snapshot{Snapshot: r.db.NewSnapshot()}
	s.users.Store(1)
	r.mu.Lock()
	old := r.last
	r.last = s
	r.mu.Unlock()
	old.release()
}

func (s *snapshot) release() error {
	if s != nil && s.users.Add(-1) == 0 {
		return s.Snapshot.Close()
	}
	return nil
}

// Snapshot returns the durable state.
func (r *rows) Snapshot() (ledger.Snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		return nil, fmt.Errorf("%w: closed", docid.ErrUnavailable)
	}
	r.last.users.Add(1)
	r.used.Add(1)
	return held{reader{r.last.Snapshot}, r.last, r}, nil
}

// Batch starts a batch that reads its own writes.
func (r *rows) Batch() ledger.Batch {
	b := r.db.NewIndexedBatch()
	return &batch{reader: reader{b}, b: b, rows: r}
}

// Close closes the database once no snapshot is open. Resources that an unreadable file left open in the engine are freed
// when the process ends.
func (r *rows) Close() (err error) {
	defer func() { err = unreadable(recover(), err) }()
	r.mu.Lock()
	last := r.last
	r.last = nil
	r.mu.Unlock()
	r.used.Wait()
	return errors.Join(last.release(), r.db.Close())
}

type reader struct{ pebble.Reader }

func (r reader) Get(key []byte) (value []byte, err error) {
	defer func() { err = unreadable(recover(), err) }()
	v, closer, err := r.Reader.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(err)
	}
	out := append(make([]byte, 0, len(v)), v...)
	return out, wrap(closer.Close())
}

// unreadable converts a panic to an error. Pebble panics if the file of a long value is missing or its end is damaged.
func unreadable(panicked any, err error) error {
	if panicked == nil {
		return err
	}
	return fmt.Errorf("%w: a file of long values cannot be read: %v", docid.ErrCorrupt, panicked)
}

func (r reader) Scan(from, to []byte, visit func(key, value []byte) error) (err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return wrap(err)
	}
	defer func() {
		if closed := wrap(it.Close()); err == nil { // Close returns an earlier error again
			err = closed
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := value(it)
		if err == nil {
			err = visit(it.Key(), v)
		}
		if err != nil {
			return wrap(err)
		}
	}
	return wrap(it.Error())
}

func value(it *pebble.Iterator) (v []byte, err error) {
	defer func() { err = unreadable(recover(), err) }()
	return it.ValueAndErr()
}

// held is a reader's use of a snapshot.
type held struct {
	reader
	snapshot *snapshot
	rows     *rows
}

func (v held) Close() {
	_ = v.snapshot.release() // only fails if it is closed twice
	v.rows.used.Done()
}

type batch struct {
	reader
	b    *pebble.Batch
	rows *rows
	gone int64
}

func (b *batch) Set(key, value []byte) error       { return b.b.Set(key, value, nil) }
func (b *batch) DeleteRange(from, to []byte) error { return b.b.DeleteRange(from, to, nil) }

func (b *batch) Delete(key []byte) error {
	b.gone++
	return b.b.Delete(key, nil)
}

// Commit returns when the write-ahead log is on disk.
func (b *batch) Commit() error {
	_, err := guarded(b.rows.log, func() (struct{}, error) { return struct{}{}, b.b.Commit(pebble.Sync) })
	if err != nil {
		return wrap(err)
	}
	b.rows.gone.Add(b.gone)
	b.rows.advance()
	return nil
}

// Close frees the batch, unless a failed engine may still use it.
func (b *batch) Close() {
	if b.rows.log.fatal() == nil {
		_ = b.b.Close()
	}
}

// wrap converts errors of Pebble and the disk to those of docid.
func wrap(err error) error {
	switch {
	case err == nil, errors.Is(err, docid.ErrCorrupt), errors.Is(err, docid.ErrFull): // converted before
		return err
	case pebble.IsCorruptionError(err):
		said, _, _ := strings.Cut(err.Error(), "\n") // further lines have Pebble's type names
		return fmt.Errorf("%w: %s", docid.ErrCorrupt, said)
	case vfs.IsNoSpaceError(err):
		return fmt.Errorf("%w: %w", docid.ErrFull, err)
	}
	return err
}
