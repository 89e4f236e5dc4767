package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/neardup/neardup/store/pebble/internal/witness"
)

// engine is a set of rows with the lock of their folder. It can abandon a Pebble engine that failed.
type engine struct {
	*rows
	fs      vfs.FS // the file system without the witness
	onDisk  bool
	lock    io.Closer
	witness *witness.Witness // nil if the folder is only read
	heads   func() []ledger.Head
	// problems lists the problems of the files if the folder is only read.
	problems []Problem
	stop     chan struct{} // closed to stop writing the witness
	stopped  chan struct{}
	reclaim  reclaim

	memtableBytes uint64 // size of a memtable
}

// Heads returns the least state that the folder must hold (see ledger.Witnessed).
func (e *engine) Heads() []ledger.Head { return e.heads() }

// openRows locks a folder and opens the database in it.
func openRows(dir string, o Options) (*engine, error) {
	onDisk := o.FS == nil
	if onDisk {
		if err := own(dir); err != nil {
			return nil, wrap(err)
		}
		o.FS = private{vfs.Default}
	} else if err := o.FS.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder %s: %w", dir, wrap(err))
	}
	lock, err := pebble.LockDirectory(dir, o.FS)
	if err != nil {
		return nil, fmt.Errorf("%w: folder %s: %w", docid.ErrLocked, dir, err)
	}
	log := newLogger()
	e, err := openWitnessed(dir, o, lock, log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, wrap(err)), lock.Close())
	}
	e.onDisk = onDisk
	go e.attest()
	return e, nil
}

// openWitnessed checks the folder against its witness before anything is written, and opens the database.
func openWitnessed(dir string, o Options, lock *pebble.Lock, log *logger) (*engine, error) {
	if err := checkLogs(o.FS, dir); err != nil {
		return nil, err
	}
	w, err := witness.Open(o.FS, dir)
	if err != nil {
		return nil, err
	}
	if err := w.Begin(); err != nil {
		return nil, err
	}
	e := &engine{fs: o.FS, lock: lock, witness: w, heads: w.Heads, stop: make(chan struct{}), stopped: make(chan struct{})}
	o.FS, o.policy = guardFS{w.FS(), log}, e.reclaim.policy
	if o.Log != nil {
		o.FS = lazyFS{o.FS}
	}
	opts := options(o, lock, log)
	e.memtableBytes = opts.MemTableSize
	db, err := guarded(log, func() (*pebble.DB, error) { return openDB(dir, opts) })
	if err != nil {
		return nil, errors.Join(err, w.Abandon())
	}
	e.rows = newRows(db, log)
	return e, nil
}

// attestEvery is the maximum age of a generation of the witness. Newer claims are in the record between generations, which
// a power failure may destroy.
const attestEvery = time.Second

// attest writes the witness at intervals until the engine closes.
func (e *engine) attest() {
	defer close(e.stopped)
	tick := time.NewTicker(attestEvery)
	defer tick.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer e.reclaim.work.Wait()
	defer cancel()
	for {
		select {
		case <-e.stop:
			return
		case <-e.log.gone:
			return
		case <-tick.C:
			if err := e.witness.Seal(); err != nil {
				e.log.background(err)
			}
			e.giveBack(ctx)
		}
	}
}

// flush flushes memtables with much data, which the next start would otherwise read from the log.
func (e *engine) flush() error {
	if e.db.Metrics().WAL.Size < e.memtableBytes/8 {
		return nil
	}
	if err := e.db.Flush(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// Close closes the database and unlocks the folder. It does not close an engine that failed, because closing it would never
// return. The end of the process frees its resources.
func (e *engine) Close() error {
	if e.witness == nil {
		return errors.Join(e.rows.Close(), e.lock.Close())
	}
	close(e.stop)
	<-e.stopped
	if err := e.log.fatal(); err != nil {
		return errors.Join(err, e.witness.Abandon(), e.lock.Close())
	}
	_, err := guarded(e.log, func() (struct{}, error) { return struct{}{}, errors.Join(e.flush(), e.rows.Close()) })
	if err != nil {
		return errors.Join(err, e.witness.Abandon(), e.lock.Close())
	}
	return errors.Join(e.witness.Close(), e.lock.Close())
}
