package batch

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// disk is the folder of temporary files, and counts what is written there.
type disk struct {
	dir     string
	written atomic.Int64

	mu    sync.Mutex
	files []*os.File
}

// create makes a file that vanishes with its handle: the name is removed at
// once where the system allows it, so that even kill -9 leaves nothing.
func (d *disk) create() (*os.File, error) {
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

// close closes all files; those that were closed before are left alone.
func (d *disk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		_ = f.Close() // temporary: nothing to lose
	}
}

// write writes b at an offset of a temporary file.
func (d *disk) write(f *os.File, b []byte, at int64) error {
	n, err := f.WriteAt(b, at)
	d.written.Add(int64(n))
	if err != nil {
		return fmt.Errorf("write to a temporary file: %w", err)
	}
	return nil
}
