package witness

import (
	"errors"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// filling is a disk that takes half of a write once it is full.
type filling struct {
	vfs.FS
	full bool
}

func (d *filling) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	return &fillingFile{f, d}, err
}

type fillingFile struct {
	vfs.File
	d *filling
}

func (f *fillingFile) Write(b []byte) (int, error) {
	if !f.d.full {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:len(b)/2])
	return n, errors.Join(err, syscall.ENOSPC)
}

// TestPartOfAWrite checks that a folder opens again after the disk took a part of a write, whatever file it was
// in and whether the engine synced the file afterwards. It does so when it closes the file.
func TestPartOfAWrite(t *testing.T) {
	for _, name := range []string{"000005.sst", "000005.blob", "000005.log", "MANIFEST-000005", "OPTIONS-000005"} {
		for _, before := range []int{0, 1} { // whole writes before
			disk := &filling{FS: vfs.NewMem()}
			ok(t, disk.MkdirAll("data", 0o700))
			w, err := Open(disk, "data")
			ok(t, err)
			ok(t, w.Begin())
			f, err := w.FS().Create("data/"+name, vfs.WriteCategoryUnspecified)
			ok(t, err)
			for range before {
				_, err := f.Write([]byte("a whole write"))
				ok(t, err)
			}
			disk.full = true
			if _, err := f.Write([]byte("a part of a write")); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("write: %v", err)
			}
			disk.full = false
			for _, sync := range []func() error{f.SyncData, f.Sync} {
				if err := sync(); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("%s: sync after a write that failed: %v", name, err)
				}
			}
			ok(t, f.Close())
			ok(t, w.Seal())
			if _, err := Open(disk, "data"); err != nil {
				t.Errorf("%s after %d whole writes: %v", name, before, err)
			}
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
