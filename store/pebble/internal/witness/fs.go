package witness

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS returns the file system through which a watched folder must be written.
func (w *Witness) FS() vfs.FS { return watched{w.fs, w} }

type watched struct {
	vfs.FS
	w *Witness
}

// Unwrap returns the wrapped file system.
func (s watched) Unwrap() vfs.FS { return s.FS }

// mine returns the name of a file in the folder, and whether it is watched.
func (s watched) mine(path string) (string, bool) {
	name := s.PathBase(path)
	return name, s.PathDir(path) == s.PathDir(s.w.path(name)) && watches(name)
}

func (s watched) forget(paths ...string) error {
	var names []string
	for _, p := range paths {
		if name, ok := s.mine(p); ok {
			names = append(names, name)
		}
	}
	return s.w.forget(names...)
}

// Create creates a file.
func (s watched) Create(path string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := s.forget(path); err != nil {
		return nil, err
	}
	f, err := s.FS.Create(path, c)
	return s.watch(path, f, err)
}

// ReuseForWrite renames a file and overwrites it from the start.
func (s watched) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := s.forget(from, to); err != nil {
		return nil, err
	}
	f, err := s.FS.ReuseForWrite(from, to, c)
	return s.watch(to, f, err)
}

func (s watched) watch(path string, f vfs.File, err error) (vfs.File, error) {
	name, ok := s.mine(path)
	if err != nil || !ok {
		return f, err
	}
	return &file{File: f, w: s.w, name: name, whole: summed(name)}, nil
}

// OpenReadWrite opens a file and removes the claim about it.
func (s watched) OpenReadWrite(path string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	if err := s.forget(path); err != nil {
		return nil, err
	}
	return s.FS.OpenReadWrite(path, c, o...)
}

// Remove removes a file.
func (s watched) Remove(path string) error {
	if err := s.forget(path); err != nil {
		return err
	}
	return s.FS.Remove(path)
}

// Rename renames a file.
func (s watched) Rename(from, to string) error {
	name, ok := s.mine(from)
	s.w.mu.Lock()
	c, known := s.w.files[name]
	s.w.mu.Unlock()
	if err := s.forget(from, to); err != nil {
		return err
	}
	if err := s.FS.Rename(from, to); err != nil {
		return err
	}
	if target, mine := s.mine(to); ok && known && mine {
		if summed(target) != summed(name) {
			var err error
			c, err = s.w.measure(target)
			if err != nil {
				return fmt.Errorf("claim %s: %w", target, err)
			}
		}
		return s.w.synced(target, c)
	}
	return nil
}

// file counts and sums the bytes written to it.
type file struct {
	vfs.File
	w     *Witness
	name  string
	whole bool
	bytes int64
	sum   uint32 // checksum of all bytes, if whole
	tail  []byte // the last bytes, if not whole
	// failed is the error of a failed write. The file may have a part of that write, so it is no longer claimed. The engine
	// syncs such a file when it closes it.
	failed error
}

// Write appends bytes.
func (f *file) Write(b []byte) (int, error) {
	sum, tail := f.sum, f.tail
	if f.whole { // before the write, because Write may change b
		sum = crc32.Update(sum, castagnoli, b)
	} else {
		tail = append(tail, b[max(0, len(b)-tailLen):]...)
		tail = tail[max(0, len(tail)-tailLen):]
	}
	n, err := f.File.Write(b)
	switch {
	case err != nil:
		f.failed = err
	case n < len(b):
		f.failed = io.ErrShortWrite
	default:
		f.bytes, f.sum, f.tail = f.bytes+int64(n), sum, tail
	}
	return n, err
}

func (f *file) claim() claim {
	if !f.whole {
		return claim{f.bytes, crc32.Checksum(f.tail, castagnoli)}
	}
	return claim{f.bytes, f.sum}
}

// Sync makes the written bytes durable and claims them.
func (f *file) Sync() error { return f.claimed(f.File.Sync) }

// SyncData does the work of Sync, without the metadata.
func (f *file) SyncData() error { return f.claimed(f.File.SyncData) }

// claimed claims the bytes that sync makes durable.
func (f *file) claimed(sync func() error) error {
	if f.failed != nil {
		return f.failed
	}
	c := f.claim()
	if err := sync(); err != nil {
		return err
	}
	return f.w.synced(f.name, c)
}

// Close closes the file. It claims an empty file, which needs no sync.
func (f *file) Close() error {
	if err := f.File.Close(); err != nil || f.bytes > 0 || f.failed != nil {
		return err
	}
	return f.w.synced(f.name, claim{})
}
