package external

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Files holds the temporary files of one folder and counts the bytes written to them.
type Files struct {
	dir     string
	written atomic.Int64

	mu    sync.Mutex
	files []*os.File
}

// NewFiles returns the Files of a run that uses the folder dir.
func NewFiles(dir string) *Files { return &Files{dir: dir} }

// Written returns the number of bytes written so far.
func (d *Files) Written() int64 { return d.written.Load() }

// Create makes a file that is removed when it is closed. It removes the name at once if the system allows it,
// so that even kill -9 leaves nothing.
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

// open creates a file unless it is open.
func (d *Files) open(f **os.File) (err error) {
	if *f == nil {
		*f, err = d.Create()
	}
	return err
}

// Close closes all files. Files that are already closed are ignored.
func (d *Files) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		_ = f.Close() // temporary files, so errors do not matter
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
