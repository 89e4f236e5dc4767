//go:build full

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	first, removeFirst, err := heldFolder("", sparkPrefix)
	if err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := heldFolder("", sparkPrefix)
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

// A run removes what a killed run with the same output left next to it.
func TestKilledRunsLeaveNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.txt")
	left := func() []string {
		names, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".*"))
		fatal(t, err)
		return names
	}
	killed := exec.Command("neardup", "dedup", "--format", "lines", "--out", out)
	in, err := killed.StdinPipe()
	fatal(t, err)
	fatal(t, killed.Start())
	if _, err := in.Write([]byte("one line of text\n")); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		if len(left()) == 2 { // the file and its lock
			break
		}
		time.Sleep(time.Millisecond)
	}
	fatal(t, killed.Process.Kill())
	_ = killed.Wait()
	if len(left()) == 0 {
		t.Error("the killed run left nothing: the test shows nothing")
	}
	next := exec.Command("neardup", "dedup", "--format", "lines", "--out", out)
	next.Stdin = strings.NewReader("one line of text\n")
	if said, err := next.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if names := left(); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}
