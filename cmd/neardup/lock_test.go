package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Of two commands that add to one table at once the second is refused, and
// what the table held is untouched; neither a crash nor a success leaves a lock.
func TestTableIsLocked(t *testing.T) {
	dir := t.TempDir()
	table, more := filepath.Join(dir, "a.table"), filepath.Join(dir, "more.tsv")
	if err := os.WriteFile(more, []byte("x\tff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	add := func() (int, string) {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"near", "--table", table, "--add", more, "-q"}, strings.NewReader(""), &bytes.Buffer{}, &stderr)
		return code, stderr.String()
	}
	lock := filepath.Join(dir, ".a.table.lock")
	unlock, err := lockFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if code, said := add(); code != exitFailed || !strings.Contains(said, "another command adds to it now") {
		t.Errorf("while it is locked: exit %d, %q", code, said)
	}
	if _, err := os.Stat(table); err == nil {
		t.Error("a refused command made a table")
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if code, said := add(); code != exitDone {
		t.Errorf("afterwards: exit %d, %q", code, said)
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock is still there")
	}
}

// Only one at a time has a lock, however often the file is made and removed.
func TestLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, got atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				unlock, err := lockFile(path)
				if err != nil {
					continue
				}
				if inside.Add(1) > 1 {
					t.Error("two have the lock")
				}
				runtime.Gosched()
				inside.Add(-1)
				got.Add(1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got.Load() == 0 {
		t.Error("nobody got it")
	}
}
