package pebble

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// private is the disk with files that only their owner may access (0600), and with logs that must keep their
// names.
type private struct{ vfs.FS }

// Unwrap returns the disk.
func (p private) Unwrap() vfs.FS { return p.FS }

// Create creates a file that only its owner may access. It removes an earlier file of that name, which may have
// further links.
func (p private) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("create file: %w", err)
	}
	return p.OpenReadWrite(name, c)
}

// OpenReadWrite opens a file, which may create it.
func (p private) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	if err := reserve(name); err != nil {
		return nil, err
	}
	f, err := p.FS.OpenReadWrite(name, c, o...)
	if err != nil {
		return nil, err
	}
	return watchLog(name, f)
}

// ReuseForWrite renames a file and overwrites it from the start.
func (p private) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := os.Chmod(from, 0o600); err != nil {
		return nil, fmt.Errorf("take file from others: %w", err)
	}
	f, err := p.FS.ReuseForWrite(from, to, c)
	if err != nil {
		return nil, err
	}
	return watchLog(to, f)
}

// Lock locks a file, which creates it.
func (p private) Lock(name string) (io.Closer, error) {
	if err := reserve(name); err != nil {
		return nil, err
	}
	return p.FS.Lock(name)
}

// reserve creates a file with mode 0600, or changes an existing one to that mode. It does not open an existing
// file, because closing a file ends the locks of this process on it.
func reserve(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		err = os.Chmod(name, 0o600)
	} else if err == nil {
		err = f.Close()
	}
	if err != nil {
		return fmt.Errorf("reserve file: %w", err)
	}
	return nil
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
