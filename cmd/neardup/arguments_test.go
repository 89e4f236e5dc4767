package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// Files and servers are named without the calls of Go that failed.
func TestPlainly(t *testing.T) {
	refused := &url.Error{Op: "Post", URL: "http://127.0.0.1:1/v1/batch?x=y", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	slow := &url.Error{Op: "Get", URL: "https://h/v1/log", Err: context.DeadlineExceeded}
	for want, err := range map[string]error{
		"--tokens: t: no such file or directory":                                    fmt.Errorf("--tokens: %w", &fs.PathError{Op: "open", Path: "t", Err: syscall.ENOENT}),
		"http://127.0.0.1:1 does not answer: connection refused":                    refused,
		"sent twice: https://h does not answer: not in time":                        fmt.Errorf("sent twice: %w", slow),
		"http://127.0.0.1:1 does not answer: connection refused\nf: is a directory": errors.Join(refused, &fs.PathError{Op: "read", Path: "f", Err: syscall.EISDIR}),
		"--data is missing": usage("--data is missing"),
	} {
		if got := plainly(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
