package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What a process that was killed left is removed by the next; what is held, and
// what others have put there, stays.
func TestHeldFolder(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	make := func(name string, files ...string) string {
		dir := filepath.Join(tmp, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	left, other, elsewhere := make("neardup-spark-left", heldLock, "neardup"), make("neardup-spark-other", "x"), make("elsewhere", heldLock)
	if err := os.Symlink(elsewhere, filepath.Join(tmp, "neardup-spark-link")); err != nil {
		t.Fatal(err)
	}
	first, removeFirst, err := heldFolder()
	if err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := heldFolder()
	if err != nil {
		t.Fatal(err)
	}
	there := func(want bool, dirs ...string) {
		t.Helper()
		for _, d := range dirs {
			if _, err := os.Stat(d); (err == nil) != want {
				t.Errorf("%s is there: %v", filepath.Base(d), err == nil)
			}
		}
	}
	there(true, first, second, other, elsewhere, filepath.Join(elsewhere, heldLock))
	there(false, left)
	for _, remove := range []func() error{removeFirst, removeSecond} {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
	there(false, first, second)
}
