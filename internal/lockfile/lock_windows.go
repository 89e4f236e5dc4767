package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Constants of the system that package syscall does not name.
const (
	deleteOnClose    = 0x0400_0000 // FILE_FLAG_DELETE_ON_CLOSE
	sharingViolation = syscall.Errno(32)
)

// Lock takes the lock of path, or returns ErrLocked if another process holds it. Only one process can open
// the file. The system closes and removes it when the process ends in any way.
func Lock(path string) (unlock func() error, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() error { return syscall.CloseHandle(h) }, nil
}

// Ours returns true because each user has a separate folder for temporary files.
func Ours(os.FileInfo) bool { return true }
