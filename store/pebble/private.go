package pebble

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// private is the disk with files that only their owner may access (0600), and with logs that must keep their
// names.
type private struct{ vfs.FS }

// Unwrap returns the disk.
func (p private) Unwrap() vfs.FS { return p.FS }

// Create creates a file that only its owner may access.
func (p private) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return p.owned(name)(p.FS.Create(name, c))
}

// OpenReadWrite opens a file, which may create it.
func (p private) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return p.owned(name)(p.FS.OpenReadWrite(name, c, o...))
}

// ReuseForWrite renames a file and overwrites it from the start.
func (p private) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return p.owned(to)(p.FS.ReuseForWrite(from, to, c))
}

// Lock locks a file, which creates it.
func (p private) Lock(name string) (io.Closer, error) {
	lock, err := p.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("take lock from others: %w", err), lock.Close())
	}
	return lock, nil
}

func (p private) owned(name string) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err != nil {
			return nil, err
		}
		if err := os.Chmod(name, 0o600); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("take file from others: %w", err)
		}
		return watchLog(name, f)
	}
}

// own makes the folder, or changes an existing one, to mode 0700.
func own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("take folder from others: %w", err)
	}
	return nil
}
