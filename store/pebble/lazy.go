package pebble

import (
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lazyFS is a file system for a store whose changes are durable elsewhere. It syncs the write-ahead log at most once a
// second. A killed process loses nothing, because the kernel has the written bytes.
type lazyFS struct{ vfs.FS }

// lazyEvery is the time span of the write-ahead log that a power failure may destroy.
const lazyEvery = time.Second

// Unwrap returns the wrapped file system.
func (l lazyFS) Unwrap() vfs.FS { return l.FS }

// Create creates a file.
func (l lazyFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := l.FS.Create(name, c)
	return lazily(name, f, err)
}

// ReuseForWrite renames a file and overwrites it from the start.
func (l lazyFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := l.FS.ReuseForWrite(from, to, c)
	return lazily(to, f, err)
}

func lazily(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil || filepath.Ext(name) != ".log" {
		return f, err
	}
	var synced time.Time // without a lock, because one goroutine syncs a log
	return syncs{f, func(sync func() error) error {
		now := time.Now()
		if now.Sub(synced) < lazyEvery {
			return nil
		}
		synced = now
		return sync()
	}}, nil
}

// syncs is a file that passes its syncs to a function, which may skip them.
type syncs struct {
	vfs.File
	by func(sync func() error) error
}

// Sync makes the written bytes durable.
func (s syncs) Sync() error { return s.by(s.File.Sync) }

// SyncData does the work of Sync, without the metadata.
func (s syncs) SyncData() error { return s.by(s.File.SyncData) }

// SyncTo does the work of Sync, up to an offset.
func (s syncs) SyncTo(length int64) (full bool, err error) {
	err = s.by(func() (err error) {
		full, err = s.File.SyncTo(length)
		return err
	})
	return full, err
}
