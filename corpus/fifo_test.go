//go:build unix

package corpus

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestNamedPipeIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Open([]string{path}, Options{}); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("error %v", err)
	}
	put(t, dir, "a.txt", "a")
	if got := read(t, Options{}, dir).texts(); got != "a" {
		t.Errorf("beside the pipe: %q", got)
	}
}
