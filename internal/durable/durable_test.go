package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/internal/durable"
)

// A name that is taken is taken over, by files; what is not there is an error.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{"new": "new", "old": "old"} {
		if err := os.WriteFile(path(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		from, to string
		want     error
	}{
		{"new", "old", nil},
		{"new", "other", fs.ErrNotExist},
		{"folder", "moved", nil},
	} {
		if err := durable.Rename(path(test.from), path(test.to)); !errors.Is(err, test.want) {
			t.Errorf("%s to %s: %v, want %v", test.from, test.to, err, test.want)
		}
	}
	if b, err := os.ReadFile(path("old")); string(b) != "new" {
		t.Errorf("old holds %q, %v", b, err)
	}
	if err := durable.SyncDir(path("moved")); err != nil {
		t.Error(err)
	}
}
