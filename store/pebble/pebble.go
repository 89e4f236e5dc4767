// Package pebble is the embedded docId store: one folder, one process, every
// answer on disk before it is given. It stands on Pebble's write-ahead log
// and adds the rules of docid.Store; see internal/ledger for the rows.
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

// Options set what a store may use. The zero value is good.
type Options struct {
	// CacheBytes bounds the cache of disk blocks; 0: 64 MiB.
	CacheBytes int64
	// TableBytes is how much of what is written lies in memory before it is
	// flushed; up to four times as much while the disk is behind. The
	// write-ahead log has it all. 0: 32 MiB.
	TableBytes int64
	// Postings is how many postings (keys of leaders) of an index lie in memory before they
	// are written to disk, some 50 bytes each. 0: 256 x 1024.
	Postings int
	// OpenFiles bounds the files that are open at one moment; 0: 1,000.
	OpenFiles int
	// FS is where the folder lies; nil: the disk.
	FS vfs.FS
	// Log, where not nil, is what the store follows; see docid.Log. What is durable there is synced here
	// once a second only: after a power failure the folder goes on from where it was before.
	Log docid.Log
	// LogWaits, where not nil, hears why the log cannot be caught up with yet, and Open goes on trying; nil: Open fails.
	LogWaits func(error)
	// LogRestarted, where not nil, hears when it was noticed that the log was restarted or restored, and that all indexes have
	// begun an epoch.
	LogRestarted func(at time.Time)
	// KeepLog is for how long entries of the log are kept at least, by the minute: a store that was
	// closed for longer goes on with the copy of another. 0: a day.
	KeepLog time.Duration
	// Snapshots, where not nil, are what all stores of the log see. Every SnapshotEvery, 0: each hour, one of them
	// saves a snapshot there, a new one begins with the last, and entries go once that and all stores
	// have them; KeepLog is then how long one that is closed is waited for.
	Snapshots     SnapshotStore
	SnapshotEvery time.Duration
	// SnapshotFailed, where not nil, hears why none could be saved; it is tried again.
	SnapshotFailed func(error)
	// Progress, if not nil, hears from Check how many rows were read, every
	// 10,000.
	Progress func(rows int)

	policy func() pebble.ValueSeparationPolicy
	beat   time.Duration // of the log; 0: a minute
	watch  func(ledger.Reader, uint64)
}

// beats are those of KeepLog.
func (o Options) beats() uint64 { return uint64(o.KeepLog / cmp.Or(o.beat, time.Minute)) }

// Store is an open folder. See docid.Store.
type Store struct {
	*ledger.Store
	rows      *engine
	snapshots *snapshots // nil: none are made
}

var _ docid.Store = (*Store)(nil)

// Open opens the folder, and makes it if it is not there: 0700, files 0600.
// ErrLocked if another process has it, ErrNewerFormat, ErrCorrupt with the
// name of what is damaged. A torn end of the write-ahead log, which a crash
// leaves, is cut off at the last whole record.
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
			return nil, fmt.Errorf("begin with a snapshot: %w", wrap(err))
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

// Close ends what the store does by itself, and closes it.
func (s *Store) Close() error {
	if s.snapshots != nil {
		s.snapshots.close()
	}
	return s.Store.Close()
}

// Metrics returns the engine's own figures: sizes, compactions, cache.
func (s *Store) Metrics() *pebble.Metrics { return s.rows.db.Metrics() }

// openDB opens the database. The first write-ahead log of a new one is in an
// old format, in which a damaged record cannot be told from a torn tail; so it
// is left empty.
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

// memTables is how many memory tables there are at most.
const memTables = 4

// options of the database. Rows are found by exact key, so every level has a
// bloom filter. Texts, most of the bytes, are written to files of their own
// that compactions leave alone: a fifth less time of the processor for each
// article at 150,000. One compaction at a time, so that on two cores one is
// left to answer.
func options(o Options, lock *pebble.Lock, log *logger) *pebble.Options {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	if o.TableBytes <= 0 {
		o.TableBytes = 32 << 20
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
			DataCorruption:  func(pebble.DataCorruptionInfo) {}, // whoever reads it gets the error
		},
		CacheSize:                   o.CacheBytes + memTables*o.TableBytes, // Pebble takes those out of the cache
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                uint64(o.TableBytes),
		MemTableStopWritesThreshold: memTables,
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

// texts says which values get files of their own, and when those are written
// anew because much in them is gone.
var texts = pebble.ValueSeparationPolicy{
	Enabled:               true,
	MinimumSize:           1 << 10,
	MaxBlobReferenceDepth: 10,
	RewriteMinimumAge:     5 * time.Minute,
	TargetGarbageRatio:    0.3,
}
