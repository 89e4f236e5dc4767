package pebble

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// modes checks each file as soon as the disk has created or opened it.
type modes struct {
	vfs.FS
	t *testing.T
}

func (m modes) check(name string) {
	if info, err := os.Stat(name); err != nil {
		m.t.Error(err)
	} else if info.Mode().Perm() != 0o600 {
		m.t.Errorf("%s is %s", filepath.Base(name), info.Mode())
	}
}

func (m modes) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	defer m.check(name)
	return m.FS.Create(name, c)
}

func (m modes) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	defer m.check(name)
	return m.FS.OpenReadWrite(name, c, o...)
}

func (m modes) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	defer m.check(to)
	return m.FS.ReuseForWrite(from, to, c)
}

func (m modes) Lock(name string) (io.Closer, error) {
	defer m.check(name)
	return m.FS.Lock(name)
}

// TestFilesArePrivate checks that no file exists at any moment with a mode that lets others read it, whether it
// is new or replaces a public one. A link to a replaced file keeps its bytes.
func TestFilesArePrivate(t *testing.T) {
	fs := private{modes{vfs.Default, t}}
	for _, there := range []bool{false, true} {
		dir := t.TempDir()
		path := func(name string) string { return filepath.Join(dir, name) }
		if there {
			for _, name := range []string{"created", "opened", "lock"} {
				ok(t, os.WriteFile(path(name), []byte("old"), 0o644))
			}
			ok(t, os.Link(path("created"), path("link")))
		}
		ok(t, os.WriteFile(path("used"), []byte("old"), 0o644))
		for _, open := range []func() (io.Closer, error){
			func() (io.Closer, error) { return fs.Create(path("created"), vfs.WriteCategoryUnspecified) },
			func() (io.Closer, error) { return fs.OpenReadWrite(path("opened"), vfs.WriteCategoryUnspecified) },
			func() (io.Closer, error) {
				return fs.ReuseForWrite(path("used"), path("reused"), vfs.WriteCategoryUnspecified)
			},
			func() (io.Closer, error) { return fs.Lock(path("lock")) },
		} {
			f, err := open()
			ok(t, err)
			ok(t, f.Close())
		}
		for name, want := range map[string]string{"created": "", "opened": "old", "link": "old"} {
			if got, err := os.ReadFile(path(name)); there && (err != nil || string(got) != want) {
				t.Errorf("%s has %q, want %q: %v", name, got, want, err)
			}
		}
	}
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := fs.ReuseForWrite(missing, missing+"2", vfs.WriteCategoryUnspecified)
	if _, there := os.Stat(missing); !errors.Is(err, os.ErrNotExist) || !errors.Is(there, os.ErrNotExist) {
		t.Errorf("reuse of a missing file: %v, and then it is there: %v", err, there)
	}
}
