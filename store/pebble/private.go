package pebble

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// private is the disk, on which files get mode 0600 and logs must keep their names.
type private struct{ vfs.FS }

// Unwrap returns the disk.
func (p private) Unwrap() vfs.FS { return p.FS }

// Create creates a file with mode 0600. It removes an earlier file of that name, which may have other hard links.
func (p private) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("create file: %w", err)
	}
	return p.OpenReadWrite(name, c)
}

// OpenReadWrite opens a file with mode 0600, which may create it.
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
		return nil, fmt.Errorf("restrict the permissions of a file: %w", err)
	}
	f, err := p.FS.ReuseForWrite(from, to, c)
	if err != nil {
		return nil, err
	}
	return watchLog(to, f)
}

// Lock locks a file. It creates the file if needed.
func (p private) Lock(name string) (io.Closer, error) {
	if err := reserve(name); err != nil {
		return nil, err
	}
	return p.FS.Lock(name)
}

// reserve creates a file with mode 0600, or changes the mode of an existing one. It does not open an existing file, because
// closing a file ends the locks of this process on it.
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

// own creates the folder with mode 0700, or changes the mode of an existing one.
func own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("restrict the permissions of a folder: %w", err)
	}
	return nil
}
