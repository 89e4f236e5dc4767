// Package pebble is the embedded docId store: one folder, one process, every
// answer on disk before it is given. It stands on Pebble's write-ahead log
// and adds the rules of neardup.Store; see internal/ledger for the rows.
package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Options set what a store may use. The zero value is good.
type Options struct {
	// CacheBytes bounds the cache of disk blocks; 0: 64 MiB.
	CacheBytes int64
	// FS is where the folder lies; nil: the disk.
	FS vfs.FS
}

// Store is an open folder. See neardup.Store.
type Store struct {
	*ledger.Store
	db *pebble.DB
}

// Open opens the folder, and makes it if it is not there: 0700, files 0600.
// ErrLocked if another process has it, ErrNewerFormat, ErrCorrupt with the
// name of what is damaged. A torn end of the write-ahead log, which a crash
// leaves, is cut off at the last whole record.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if o.FS == nil {
		if err := own(dir); err != nil {
			return nil, wrap(err)
		}
		o.FS = private{vfs.Default}
	} else if err := o.FS.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder %s: %w", dir, wrap(err))
	}
	lock, err := pebble.LockDirectory(dir, o.FS)
	if err != nil {
		return nil, fmt.Errorf("%w: folder %s: %w", neardup.ErrLocked, dir, err)
	}
	log := &logger{}
	s, err := open(ctx, dir, o, lock, log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, wrap(err)), lock.Close())
	}
	return s, nil
}

func open(ctx context.Context, dir string, o Options, lock *pebble.Lock, log *logger) (*Store, error) {
	db, err := guarded(log, func() (*pebble.DB, error) { return pebble.Open(dir, options(o, lock, log)) })
	if err != nil {
		return nil, err
	}
	kv := &locked{newRows(db), lock, log}
	s, err := guarded(log, func() (*ledger.Store, error) { return ledger.Open(ctx, kv) })
	if err != nil {
		return nil, err
	}
	log.onFatal(s.Poison)
	return &Store{s, db}, nil
}

// options of the database. Rows are found by exact key, so every level has a
// bloom filter; texts compress to about half.
func options(o Options, lock *pebble.Lock, log *logger) *pebble.Options {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	opts := &pebble.Options{
		FS:                          o.FS,
		Lock:                        lock,
		Logger:                      log,
		CacheSize:                   o.CacheBytes,
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                32 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		MaxOpenFiles:                1000,
		WALBytesPerSync:             0,
		BytesPerSync:                512 << 10,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		opts.Levels[i].BlockSize = 16 << 10
	}
	return opts
}

// locked is rows that own the lock of the folder, and that know how to leave
// an engine behind that gave up.
type locked struct {
	*rows
	lock io.Closer
	log  *logger
}

// Close closes the engine. One that gave up cannot be closed, it would wait
// for itself; what it holds ends with the process.
func (l *locked) Close() error {
	if err := l.log.fatal(); err != nil {
		return errors.Join(err, l.lock.Close())
	}
	_, err := guarded(l.log, func() (struct{}, error) { return struct{}{}, l.rows.Close() })
	return errors.Join(err, l.lock.Close())
}

// guarded runs a call into the engine and turns its end by fatal error into
// an error.
func guarded[T any](log *logger, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errGaveUp}
		defer func() { done <- r }()
		r.value, r.err = call()
	}()
	r := <-done
	if r.err == errGaveUp {
		return r.value, log.fatal()
	}
	return r.value, r.err
}

var errGaveUp = errors.New("the storage engine gave up")

// Metrics returns the engine's own figures: sizes, compactions, cache.
func (s *Store) Metrics() *pebble.Metrics { return s.db.Metrics() }

var _ neardup.Store = (*Store)(nil)

// onceError keeps the first error.
type onceError struct{ p atomic.Pointer[error] }

func (o *onceError) set(err error) { o.p.CompareAndSwap(nil, &err) }
func (o *onceError) get() error {
	if p := o.p.Load(); p != nil {
		return *p
	}
	return nil
}
