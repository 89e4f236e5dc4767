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

// openToRead opens a folder that no process has open, without changing it. It reads what a crash left in the
// write-ahead log and leaves it there. The file system may be read-only.
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

// openProved checks the folder against its witness, and opens the database.
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

// lockToRead takes the lock of a folder, if the lock file exists and is writable. If it is not writable, no server can have
// the folder open.
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

// readFS is a read-only file system.
type readFS struct{ vfs.FS }

var errReadOnly = fmt.Errorf("the store is read-only: %w", os.ErrPermission)

// Unwrap returns the wrapped file system.
func (r readFS) Unwrap() vfs.FS { return r.FS }

// Create returns errReadOnly.
func (readFS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }

// OpenReadWrite returns errReadOnly.
func (readFS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}

// ReuseForWrite returns errReadOnly.
func (readFS) ReuseForWrite(string, string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}

// Link returns errReadOnly.
func (readFS) Link(string, string) error { return errReadOnly }

// Remove returns errReadOnly.
func (readFS) Remove(string) error { return errReadOnly }

// RemoveAll returns errReadOnly.
func (readFS) RemoveAll(string) error { return errReadOnly }

// Rename returns errReadOnly.
func (readFS) Rename(string, string) error { return errReadOnly }

// MkdirAll returns errReadOnly.
func (readFS) MkdirAll(string, os.FileMode) error { return errReadOnly }

// Lock does nothing, because the caller already has the lock of the folder.
func (readFS) Lock(string) (io.Closer, error) { return nothing{}, nil }
