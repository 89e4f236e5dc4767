package external

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Files are the temporary files of one folder, counted by what is written to them.
type Files struct {
	dir     string
	written atomic.Int64

	mu    sync.Mutex
	files []*os.File
}

// NewFiles returns those of a run that uses the folder dir.
func NewFiles(dir string) *Files { return &Files{dir: dir} }

// Written is how many bytes were written so far.
func (d *Files) Written() int64 { return d.written.Load() }

// Create makes a file that vanishes with its handle: the name is removed at
// once where the system allows it, so that even kill -9 leaves nothing.
func (d *Files) Create() (*os.File, error) {
	f, err := os.CreateTemp(d.dir, "neardup-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files = append(d.files, f)
	return f, nil
}

// Close closes all files; those that were closed before are left alone.
func (d *Files) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		_ = f.Close() // temporary: nothing to lose
		_ = os.Remove(f.Name())
	}
}

// write writes b at an offset of a temporary file.
func (d *Files) write(f *os.File, b []byte, at int64) error {
	n, err := f.WriteAt(b, at)
	d.written.Add(int64(n))
	if err != nil {
		return fmt.Errorf("write to a temporary file: %w", err)
	}
	return nil
}
