// Package pebble implements the embedded docId store. One process uses one folder, and every answer is on disk before it is
// given. It uses Pebble's write-ahead log and adds the rules of docid.Store. See internal/ledger for the rows.
package pebble

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Options configure a store. The zero value is usable.
type Options struct {
	// CacheBytes limits the cache of disk blocks (default 64 MiB).
	CacheBytes int64
	// MemtableBytes is the size at which a memtable is flushed (default 32 MiB). While the disk is slow, four times as
	// much may be in memory. The write-ahead log contains all of it.
	MemtableBytes int64
	// Postings is the number of postings (keys of leaders) of an index that are kept in memory before they are written to
	// disk, about 50 bytes each. The default is 256 x 1024.
	Postings int
	// OpenFiles limits the number of open files (default 1,000).
	OpenFiles int
	// FS is the file system of the folder; nil means the disk.
	FS vfs.FS
	// Log is the log that the store follows, or nil; see docid.Log. With a log the folder is synced only once a
	// second. After a power failure it resumes from an earlier state.
	Log docid.Log
	// LogWaits is called if Open cannot catch up with the log yet. Open then tries again. If LogWaits is nil, Open fails.
	LogWaits func(error)
	// LogRestarted, if not nil, is called when the log was restarted or restored and all indexes have begun an
	// epoch.
	LogRestarted func(at time.Time)
	// KeepLog is the least time for which entries of the log are kept, in whole minutes (default 1 day). A store that was
	// closed for longer needs a copy of another.
	KeepLog time.Duration
	// Snapshots, if not nil, is storage that all stores of the log share. Every SnapshotEvery (default 1 hour) one of them
	// saves a snapshot there, and a new store begins with the last one. Entries are removed once a snapshot and all stores
	// have them. KeepLog is then the time after which a closed store no longer counts.
	Snapshots     SnapshotStore
	SnapshotEvery time.Duration
	// SnapshotFailed, if not nil, is called if a snapshot could not be saved. The store tries again.
	SnapshotFailed func(error)
	// Progress, if not nil, is called by Check after every 10,000 rows, with the number of rows so far.
	Progress func(rows int)

	policy func() pebble.ValueSeparationPolicy
	beat   time.Duration // interval of heartbeats (default 1 minute)
	watch  func(ledger.Reader, uint64)
}

// beats returns KeepLog as a number of heartbeats.
func (o Options) beats() uint64 { return uint64(o.KeepLog / cmp.Or(o.beat, time.Minute)) }

// Store is an open folder. See docid.Store.
type Store struct {
	*ledger.Store
	rows      *engine
	snapshots *snapshots // nil if no snapshots are made
}

var _ docid.Store = (*Store)(nil)

// Open opens the folder, or creates it with mode 0700 and files of mode 0600. It returns ErrLocked if another process has
// it, ErrNewerFormat, or ErrCorrupt with the name of the damaged file. If a crash left an incomplete record at the end of
// the write-ahead log, Open cuts it off.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	follows := ledger.Options{Postings: o.Postings, Log: o.Log, Beat: o.beat, Keep: o.beats(), Server: placeOf(dir), Watch: o.watch, Waits: o.LogWaits, Restarted: o.LogRestarted}
	made := newSnapshots(o)
	if made != nil {
		follows.Snapshots = made.first
		fs := o.FS
		if fs == nil {
			fs = private{vfs.Default}
		}
		if err := made.begin(ctx, fs, dir); err != nil {
			return nil, fmt.Errorf("start from a snapshot: %w", wrap(err))
		}
	}
	kv, err := openRows(dir, o)
	if err != nil {
		return nil, err
	}
	s, err := guarded(kv.log, func() (*ledger.Store, error) { return ledger.Open(ctx, kv, follows) })
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, wrap(err))
	}
	kv.log.onFatal(s.Poison)
	if o.Log == nil {
		kv.witness.Tell(s.Heads)
	}
	opened := &Store{s, kv, made}
	if made != nil {
		made.keep(opened, follows.Server)
	}
	return opened, nil
}

// Close stops making snapshots and closes the store.
func (s *Store) Close() error {
	if s.snapshots != nil {
		s.snapshots.close()
	}
	return s.Store.Close()
}

// Metrics returns the metrics of the engine: sizes, compactions, cache.
func (s *Store) Metrics() *pebble.Metrics { return s.rows.db.Metrics() }

// openDB opens the database. In a new database, the first write-ahead log has an old format, in which a damaged record
// cannot be distinguished from a torn tail. So openDB leaves that log empty.
func openDB(dir string, o *pebble.Options) (*pebble.DB, error) {
	there, err := pebble.Peek(dir, o.FS)
	if err != nil {
		return nil, err
	}
	if !there.Exists {
		db, err := pebble.Open(dir, o.Clone())
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	return pebble.Open(dir, o)
}

// mostMemtables is the maximum number of memtables.
const mostMemtables = 4

// options returns the options of the database. Rows are found by exact key, so every level has a Bloom filter. Texts are
// most of the bytes, so they have their own files, which compactions do not rewrite. With 150,000 articles that saves a
// fifth of the CPU time per article. Only one compaction runs at a time, so that one of two cores is free for answers.
func options(o Options, lock *pebble.Lock, log *logger) *pebble.Options {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	if o.MemtableBytes <= 0 {
		o.MemtableBytes = 32 << 20
	}
	if o.OpenFiles <= 0 {
		o.OpenFiles = 1000
	}
	opts := &pebble.Options{
		FS:     o.FS,
		Lock:   lock,
		Logger: log,
		EventListener: &pebble.EventListener{
			BackgroundError: log.background,
			DataCorruption:  func(pebble.DataCorruptionInfo) {}, // the reader gets the error
		},
		CacheSize:                   o.CacheBytes + mostMemtables*o.MemtableBytes, // Pebble subtracts the tables from the cache
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                uint64(o.MemtableBytes),
		MemTableStopWritesThreshold: mostMemtables,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		MaxOpenFiles:                o.OpenFiles,
		BytesPerSync:                512 << 10,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
	}
	opts.Experimental.ValueSeparationPolicy = o.policy
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		opts.Levels[i].BlockSize = 16 << 10
	}
	return opts
}

// texts configures which values have their own files, and when those are rewritten because much of them is
// deleted.
var texts = pebble.ValueSeparationPolicy{
	Enabled:               true,
	MinimumSize:           1 << 10,
	MaxBlobReferenceDepth: 10,
	RewriteMinimumAge:     5 * time.Minute,
	TargetGarbageRatio:    0.3,
}
