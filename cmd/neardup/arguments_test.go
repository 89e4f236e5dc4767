package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What counts as piped in: a pipe and a file, not what nobody writes to.
func TestPiped(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !isPiped(r) || !isPiped(file) || !isPiped(strings.NewReader("")) {
		t.Error("a pipe, a file or a reader is not read")
	}
	if isPiped(null) || isPiped(nil) {
		t.Error("what nobody writes to is read")
	}
	a := &app{}
	if _, err := a.inputs(nil); err == nil || !strings.Contains(err.Error(), "no input: name files") {
		t.Errorf("no input: %v", err)
	}
}
