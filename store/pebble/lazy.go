package pebble

import (
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lazyFS is a file system for a store whose changes are durable elsewhere: its write-ahead log is synced at most
// once a second. What was written lies with the system, so a process that is killed loses nothing.
type lazyFS struct{ vfs.FS }

// lazyEvery is how much of the write-ahead log a power failure may take.
const lazyEvery = time.Second

// Unwrap returns the file system below.
func (l lazyFS) Unwrap() vfs.FS { return l.FS }

// Create creates a file.
func (l lazyFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := l.FS.Create(name, c)
	return lazily(name, f, err)
}

// ReuseForWrite gives a file another name and writes it from its beginning.
func (l lazyFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := l.FS.ReuseForWrite(from, to, c)
	return lazily(to, f, err)
}

func lazily(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil || filepath.Ext(name) != ".log" {
		return f, err
	}
	return &lazyLog{File: f}, nil
}

// lazyLog is a write-ahead log. One goroutine syncs it.
type lazyLog struct {
	vfs.File
	synced time.Time
}

func (l *lazyLog) due() bool {
	if now := time.Now(); now.Sub(l.synced) >= lazyEvery {
		l.synced = now
		return true
	}
	return false
}

// Sync syncs if it is time.
func (l *lazyLog) Sync() error {
	if !l.due() {
		return nil
	}
	return l.File.Sync()
}

// SyncData is Sync without the metadata.
func (l *lazyLog) SyncData() error {
	if !l.due() {
		return nil
	}
	return l.File.SyncData()
}

// SyncTo is Sync up to an offset.
func (l *lazyLog) SyncTo(length int64) (full bool, err error) {
	if !l.due() {
		return false, nil
	}
	return l.File.SyncTo(length)
}
