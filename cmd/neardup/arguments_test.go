package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
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

// TestHelpFits: each line of the help of each command is of 100 columns at most.
func TestHelpFits(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + flagHelp(cmd)) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&app{}))
}
