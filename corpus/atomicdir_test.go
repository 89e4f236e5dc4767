package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
)

// A directory appears with all its files, or not at all, and nothing is written outside of it.
func TestCreateDir(t *testing.T) {
	root := t.TempDir()
	in := filepath.Join(root, "in", "sub", "a.jsonl")
	if err := os.MkdirAll(filepath.Dir(in), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := corpus.Open([]string{filepath.Join(root, "in")}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.CreateDir(filepath.Join(root, "in", "sub")); err == nil {
		t.Error("a directory that holds an input was taken")
	}
	for _, commit := range []bool{false, true} {
		path := filepath.Join(root, "out")
		d, err := corpus.CreateDir(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Create("../b"); err == nil || !strings.Contains(err.Error(), "outside the directory") {
			t.Errorf("a file beside the directory: %v", err)
		}
		for _, name := range r.Relative() {
			f, err := d.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		if commit {
			if err := d.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		d.Abort()
		_, err = os.Stat(filepath.Join(path, "sub", "a.jsonl"))
		if there := err == nil; there != commit {
			t.Errorf("committed %v, there %v", commit, there)
		}
		entries, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if want := []string{"in", "out"}[:1+map[bool]int{true: 1}[commit]]; !slices.Equal(names, want) {
			t.Errorf("committed %v: %q is there, want %q", commit, names, want)
		}
	}
}

// An output that was not requested is nil, and ignores lines.
func TestNilTakesJSON(t *testing.T) {
	var unwanted *corpus.AtomicFile
	if err := unwanted.WriteJSON(1); err != nil {
		t.Error(err)
	}
}
