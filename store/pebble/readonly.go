package pebble

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/pebble/internal/witness"
)

// openToRead opens a folder that no process has open, and changes nothing in
// it: what a crash left in the write-ahead log is read and stays there. The
// folder may be on a file system that cannot be written.
func openToRead(dir string, o Options) (*engine, error) {
	onDisk := o.FS == nil
	if onDisk {
		o.FS = vfs.Default
	}
	lock, err := lockToRead(o.FS, dir)
	if err != nil {
		return nil, err
	}
	e, err := openProved(dir, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, wrap(err)), lock.Close())
	}
	e.lock, e.onDisk = lock, onDisk
	return e, nil
}

// openProved proves that the folder holds what it must and opens the database.
func openProved(dir string, o Options) (*engine, error) {
	if err := checkLogs(o.FS, dir); err != nil {
		return nil, err
	}
	w, err := witness.Open(o.FS, dir)
	if err != nil {
		return nil, err
	}
	below, log := o.FS, newLogger()
	o.FS, o.policy = readFS{o.FS}, new(reclaim).policy
	opts := options(o, nil, log)
	opts.ReadOnly = true
	db, err := guarded(log, func() (*pebble.DB, error) { return pebble.Open(dir, opts) })
	if err != nil {
		return nil, err
	}
	return &engine{rows: newRows(db, log), fs: below, heads: w.Heads, problems: w.Problems}, nil
}

// lockToRead takes the lock of a folder if there is one and it may be written:
// where it may not, no server can have the folder open.
func lockToRead(on vfs.FS, dir string) (io.Closer, error) {
	if _, err := on.Stat(on.PathJoin(dir, "LOCK")); errors.Is(err, fs.ErrNotExist) {
		return nothing{}, nil
	}
	lock, err := on.Lock(on.PathJoin(dir, "LOCK"))
	switch {
	case err == nil:
		return lock, nil
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EAGAIN):
		return nothing{}, nil
	}
	return nil, fmt.Errorf("%w: folder %s: %w", docid.ErrLocked, dir, err)
}

type nothing struct{}

// Close does nothing.
func (nothing) Close() error { return nil }

// readFS is a file system in which nothing can be changed.
type readFS struct{ vfs.FS }

var errReadOnly = fmt.Errorf("the store is only read: %w", os.ErrPermission)

// Unwrap returns the file system below.
func (r readFS) Unwrap() vfs.FS { return r.FS }

// Create is refused.
func (readFS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }

// OpenReadWrite is refused.
func (readFS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}

// ReuseForWrite is refused.
func (readFS) ReuseForWrite(string, string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}

// Link is refused.
func (readFS) Link(string, string) error { return errReadOnly }

// Remove is refused.
func (readFS) Remove(string) error { return errReadOnly }

// RemoveAll is refused.
func (readFS) RemoveAll(string) error { return errReadOnly }

// Rename is refused.
func (readFS) Rename(string, string) error { return errReadOnly }

// MkdirAll is refused.
func (readFS) MkdirAll(string, os.FileMode) error { return errReadOnly }

// Lock locks nothing: whoever opens the folder has its lock already.
func (readFS) Lock(string) (io.Closer, error) { return nothing{}, nil }
