//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package lockfile

import (
	"errors"
	"io/fs"
	"os"
)

// Lock takes the lock of path. It returns ErrLocked if the file exists, because another process holds the
// lock or ended without removing the file.
func Lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(f.Close(), os.Remove(path)) }, nil
}

// Ours returns true because the system has no users.
func Ours(os.FileInfo) bool { return true }
