package resume_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/batch/resume"
)

// open opens the folder of a run with a fact, and the log of its only stage.
func open(t *testing.T, dir, index, value string) (*resume.Folder, *resume.Journal) {
	t.Helper()
	f, err := resume.Open(dir, resume.Fact{Name: "fact", Value: value})
	if err == nil {
		err = f.Begin(index, resume.Fact{Name: "other", Value: "o"})
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := f.Journal("stage")
	if err != nil {
		t.Fatal(err)
	}
	return f, l
}

// frames reads all frames of a log.
func frames(t *testing.T, l *resume.Journal) (all []string) {
	t.Helper()
	for {
		b, err := l.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
}

func appendAll(t *testing.T, l *resume.Journal, frames ...string) {
	t.Helper()
	for _, one := range frames {
		if err := l.Append([]byte(one)); err != nil {
			t.Fatal(err)
		}
	}
}

// Synced frames are restored, others are lost, and dropped frames are repeated.
func TestLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	reopened := func(want ...string) (*resume.Folder, *resume.Journal) {
		t.Helper()
		f, l := open(t, dir, "", "v")
		if got := frames(t, l); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q is there, want %q", got, want)
		}
		return f, l
	}
	closing := func(f *resume.Folder, errs ...error) {
		t.Helper()
		if err := errors.Join(append(errs, f.Close())...); err != nil {
			t.Fatal(err)
		}
	}
	f, l := reopened()
	appendAll(t, l, "a", "", "bc")
	err := l.Sync()
	appendAll(t, l, strings.Repeat("lost", 1<<20))
	closing(f, err)

	f, l = reopened("a", "", "bc")
	appendAll(t, l, "d")
	closing(f, l.Sync())

	f, l = open(t, dir, "", "v")
	if b, err := l.Next(); string(b) != "a" || err != nil {
		t.Fatalf("%q, %v", b, err)
	}
	if b, err := l.Next(); len(b) > 0 || err != nil {
		t.Fatalf("%q, %v", b, err)
	}
	err = l.Back()
	appendAll(t, l, "new")
	closing(f, err, l.Sync())

	f, _ = reopened("a", "new")
	closing(f)
	f, _ = reopened("a", "new")
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	f, _ = reopened()
	closing(f)
}

// Frames that change places are damage.
func TestFramesInOrder(t *testing.T) {
	dir := t.TempDir()
	f, l := open(t, dir, "", "v")
	frames(t, l)
	appendAll(t, l, "ab", "cd", "ef")
	if err := errors.Join(l.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "stage*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil || len(b)%3 != 0 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	one := len(b) / 3
	if err := os.WriteFile(files[0], slices.Concat(b[one:2*one], b[:one], b[2*one:]), 0o600); err != nil {
		t.Fatal(err)
	}
	_, l = open(t, dir, "", "v")
	if got, err := l.Next(); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("the first frame is %q, %v", got, err)
	}
}

func TestOtherRunsAreRefused(t *testing.T) {
	dir := t.TempDir()
	f, _ := open(t, dir, "", "v")
	if err := errors.Join(f.Finishing("after"), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		index, value, other string
		want                error
		says                string
	}{
		{"", "v", "other", nil, "<nil>"},
		{"before", "v", "other", nil, "<nil>"},
		{"after", "x", "other", resume.ErrFinished, dir + ": the run has already finished"},
		{"", "w", "other", resume.ErrUnlike, dir + ": the folder belongs to another run: fact was v and is now w"},
		{"", "v", "more", resume.ErrUnlike, dir + ": the folder belongs to another run: that run had other o"},
	} {
		f, err := resume.Open(dir, resume.Fact{Name: "fact", Value: test.value})
		if err != nil {
			t.Fatal(err)
		}
		err = f.Begin(test.index, resume.Fact{Name: test.other, Value: "o"})
		if !errors.Is(err, test.want) || fmt.Sprint(err) != test.says {
			t.Errorf("%+v: it says %v", test, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := resume.Open(dir); err == nil || !strings.Contains(err.Error(), "has the file mine") {
		t.Errorf("of a folder with a file of somebody it says %v", err)
	}
}
