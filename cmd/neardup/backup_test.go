//go:build full

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Of two backups of one name at one moment the second is refused, and leaves
// the first alone; what a failed one has made is removed.
func TestSnapshotFolder(t *testing.T) {
	data := filepath.Join(t.TempDir(), "backups", "monday")
	made := func(store string) error { return os.WriteFile(store, nil, 0o600) }
	var second error
	fatal(t, snapshot(data, func(store string) error {
		second = snapshot(data, made)
		return made(store)
	}))
	if !errors.Is(second, fs.ErrExist) {
		t.Errorf("the second: %v", second)
	}
	if _, err := os.Stat(storeDir(data)); err != nil {
		t.Errorf("the first is gone: %v", err)
	}
	broken := errors.New("broken")
	failed := filepath.Join(filepath.Dir(data), "tuesday")
	if err := snapshot(failed, func(string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a copy that fails: %v", err)
	}
	if _, err := os.Stat(failed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what it made is there: %v", err)
	}
}

// A folder of backups within the store itself is known by whatever name it has.
func TestWithin(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "data", "store")
	fatal(t, os.MkdirAll(store, 0o700))
	fatal(t, os.Symlink(filepath.Join(dir, "data"), filepath.Join(dir, "link")))
	for path, want := range map[string]bool{
		"":                                   false,
		store:                                true,
		filepath.Join(store, "a", "b"):       true,
		filepath.Join(store, "..", "b"):      false,
		filepath.Join(dir, "data", "stores"): false,
		filepath.Join(dir, "link", "store", "not", "there"): true,
	} {
		if got := within(path, store); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
