package pebble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// TestSnapshotFolder checks that an incomplete save is not a snapshot. If two servers save at the same entry,
// the first counts and the other leaves nothing.
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
	ok(t, f.Save(t.Context(), 5, 1, write("again", nil)))
	ok(t, f.Save(t.Context(), 10, 2, write("later", nil)))
	to := filepath.Join(t.TempDir(), "to")
	ok(t, f.Load(t.Context(), 5, to))
	if b, err := os.ReadFile(filepath.Join(to, "file")); err != nil || string(b) != "first" || offsets() != "[5 10]" {
		t.Errorf("loaded %q, %v; there are %s", b, err, offsets())
	}
	ok(t, f.Remove(t.Context(), 5))
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 || f.Load(t.Context(), 5, to) == nil {
		t.Errorf("%d names are left, %v", len(names), err)
	}
}

// TestSnapshotDamaged cuts, changes, zeroes or removes each file of a snapshot and its list. Load must report
// the file, and a new server must begin with the previous snapshot.
func TestSnapshotDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shared")
	log := storetest.Begin(t, storetest.NewLog())
	open := func(to string) (*pebble.Store, []error) {
		t.Helper()
		var said []error
		s, err := pebble.Open(t.Context(), to, pebble.Options{
			Log: log, Snapshots: pebble.SnapshotFolder(dir), SnapshotEvery: time.Hour, SnapshotFailed: func(err error) { said = append(said, err) },
		})
		ok(t, err)
		return s, said
	}
	f := pebble.SnapshotFolder(dir)
	first, err := pebble.Open(t.Context(), filepath.Join(t.TempDir(), "first"), pebble.Options{Log: log})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), first, "tenant", storetest.Settings())
	ok(t, err)
	for n := range 2 {
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint(n), storetest.Base(n)
		_, err := d.Add(t.Context(), sub)
		ok(t, err)
		ok(t, f.Save(t.Context(), first.Applied(), 1, func(to string) error { return first.Snapshot(t.Context(), to) }))
	}
	offsets, err := f.Offsets(t.Context())
	ok(t, err)
	last := offsets[1]
	ok(t, first.Close())
	files, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%020d*", last), "*"))
	ok(t, err)
	files = append(files, filepath.Join(dir, fmt.Sprintf("%020d.json", last)))
	damages := 0
	for _, path := range files {
		was, err := os.ReadFile(path)
		ok(t, err)
		for what, b := range map[string][]byte{"cut": was[:len(was)/2], "zeroed": make([]byte, len(was)), "longer": append(slices.Clone(was), 1), "changed": changed(was), "gone": nil} {
			if (what != "gone" && string(b) == string(was)) || (what == "gone" && strings.HasSuffix(path, ".json")) {
				continue // an empty file, or without a list not a snapshot
			}
			damages++
			ok(t, os.Remove(path))
			if what != "gone" {
				ok(t, os.WriteFile(path, b, 0o600))
			}
			to := filepath.Join(t.TempDir(), "to")
			if err := f.Load(t.Context(), last, to); !errors.Is(err, docid.ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(path)) {
				t.Errorf("%s, %s: %v", path, what, err)
			}
			ok(t, os.WriteFile(path, was, 0o600))
		}
		ok(t, os.WriteFile(path, changed(was), 0o600))
		if path == files[0] {
			s, said := open(filepath.Join(t.TempDir(), "new"))
			ok(t, s.Close())
			if len(said) != 1 || !errors.Is(said[0], docid.ErrCorrupt) {
				t.Errorf("a new server says %v", said)
			}
		}
		ok(t, os.WriteFile(path, was, 0o600))
	}
	if damages < 20 {
		t.Errorf("%d damages show little", damages)
	}
}

// changed returns the bytes with one in the middle changed.
func changed(b []byte) []byte {
	b = slices.Clone(b)
	if len(b) > 0 {
		b[len(b)/2] ^= 0x20
	}
	return b
}
