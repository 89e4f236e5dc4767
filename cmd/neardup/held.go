package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/internal/lockfile"
)

// Folders for what a run on Spark needs while it lasts: 50 MB with the command in
// them. python/src/neardup/spark/_folders.py makes such too, and each removes what the
// other's killed processes left.
const (
	heldPrefix = "neardup-spark-"
	heldLock   = ".lock" // its owner holds this, and the system lets go of it when the owner ends, however it ends
)

// heldFolder makes a folder of this process below the temporary one, and removes those whose process is
// gone. remove takes it away.
func heldFolder() (dir string, remove func() error, err error) {
	removeLeft()
	for {
		dir, err := os.MkdirTemp("", heldPrefix)
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
func removeLeft() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), heldPrefix+"*", heldLock))
	for _, lock := range found {
		dir := filepath.Dir(lock)
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !lockfile.Ours(info) {
			continue
		}
		if unlock, err := lockfile.Lock(lock); err == nil {
			_ = errors.Join(os.RemoveAll(dir), unlock())
		}
	}
}
