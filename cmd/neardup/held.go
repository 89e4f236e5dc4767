package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/internal/lockfile"
)

// sparkPrefix begins the names of temporary folders for Spark runs (50 MB with the command in them).
// python/src/neardup/spark/_folders.py uses the same prefix. Each side removes what killed processes of the
// other left.
const sparkPrefix = "neardup-spark-"

// heldLock is the file that the owner of a folder locks. The system releases the lock when the process ends.
const heldLock = ".lock"

// heldFolder makes a temporary folder of this process in tmp (default: the system's). It also removes folders
// with the same prefix whose process has ended. remove deletes the new folder.
func heldFolder(tmp, prefix string) (dir string, remove func() error, err error) {
	if tmp == "" {
		tmp = os.TempDir()
	}
	removeLeft(tmp, prefix)
	for {
		dir, err := os.MkdirTemp(tmp, prefix)
		if err != nil {
			return "", nil, err
		}
		unlock, err := lockfile.Lock(filepath.Join(dir, heldLock))
		if err == nil {
			return dir, func() error { return errors.Join(unlock(), os.RemoveAll(dir)) }, nil
		}
		if !errors.Is(err, lockfile.ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		// Another process took the lock first and removed the folder as an abandoned one.
	}
}

// removeLeft removes folders whose owner has ended. It ignores folders that it cannot remove, such as those
// of other users.
func removeLeft(tmp, prefix string) {
	entries, _ := os.ReadDir(tmp)
	for _, e := range entries {
		dir := filepath.Join(tmp, e.Name())
		lock := filepath.Join(dir, heldLock)
		if _, err := os.Lstat(lock); err != nil || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !lockfile.Ours(info) {
			continue
		}
		if unlock, err := lockfile.Lock(lock); err == nil {
			_ = errors.Join(os.RemoveAll(dir), unlock())
		}
	}
}
