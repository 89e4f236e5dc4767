package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/internal/lockfile"
)

// sparkPrefix begins the names of folders for a run on Spark: 50 MB with the command in
// them. python/src/neardup/spark/_folders.py makes such too, and each removes what the
// other's killed processes left.
const sparkPrefix = "neardup-spark-"

// heldLock is a file that the owner of a folder locks. The system unlocks it when the
// process ends.
const heldLock = ".lock"

// heldFolder makes a temporary folder of this process in tmp, the system's if it is empty,
// and removes those with the same prefix whose process has ended. remove removes it.
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
		// Another process found the lock free in the moment before, and removed what it took for left.
	}
}

// removeLeft removes folders that nobody holds. What cannot be removed, such as that
// of another user, stays: it is in nobody's way.
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
