package pebble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/store/pebble"
)

// TestSnapshotFolder: what broke off is no snapshot; of two servers that save one at the same entry the first counts, and the
// other leaves nothing.
func TestSnapshotFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shared")
	f := pebble.SnapshotFolder(dir)
	offsets := func() string {
		all, err := f.Offsets(t.Context())
		ok(t, err)
		return fmt.Sprint(all)
	}
	write := func(content string, then error) func(string) error {
		return func(at string) error {
			return errors.Join(os.Mkdir(at, 0o700), os.WriteFile(filepath.Join(at, "file"), []byte(content), 0o600), then)
		}
	}
	broke := errors.New("it broke off")
	if err := f.Save(t.Context(), 5, 1, write("half", broke)); !errors.Is(err, broke) || offsets() != "[]" {
		t.Errorf("an attempt that broke off: %v; there are %s", err, offsets())
	}
	ok(t, f.Save(t.Context(), 5, 1, write("first", nil)))
	ok(t, f.Save(t.Context(), 5, 2, write("second", nil)))
	ok(t, f.Save(t.Context(), 10, 2, write("later", nil)))
	to := filepath.Join(t.TempDir(), "to")
	ok(t, f.Load(t.Context(), 5, to))
	if b, err := os.ReadFile(filepath.Join(to, "file")); err != nil || string(b) != "first" || offsets() != "[5 10]" {
		t.Errorf("loaded %q, %v; there are %s", b, err, offsets())
	}
	ok(t, f.Remove(t.Context(), 5))
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 || f.Load(t.Context(), 5, to) == nil {
		t.Errorf("%d names are left, %v", len(names), err)
	}
}
