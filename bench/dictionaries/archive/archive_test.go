package archive_test

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/bench/dictionaries/archive"
)

func TestExtract(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, name := range []string{"top-1.0/dict.txt", "top-1.0/other.txt"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 4}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("word")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{w, z, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files, err := archive.Extract(path, "dict.txt")
	if err != nil || len(files) != 1 || files["dict.txt"] != "word" {
		t.Errorf("got %v, %v", files, err)
	}
	if _, err := archive.Extract(path, "none.txt"); err == nil || !strings.Contains(err.Error(), "none.txt") {
		t.Errorf("a missing file gives %v", err)
	}
}
