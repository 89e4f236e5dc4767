package pebble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// largest returns the largest file of a kind in a folder.
func largest(t *testing.T, dir, ending string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	ok(t, err)
	best, most := "", int64(-1)
	for _, f := range files {
		info, err := os.Stat(f)
		ok(t, err)
		if info.Size() > most {
			best, most = f, info.Size()
		}
	}
	if best == "" {
		t.Fatalf("no file *%s", ending)
	}
	return best
}

// flip changes one bit of a file, at a part of its length.
func flip(t *testing.T, file string, part float64) {
	t.Helper()
	content, err := os.ReadFile(file)
	ok(t, err)
	content[int(part*float64(len(content)))] ^= 4
	ok(t, os.WriteFile(file, content, 0o600))
}

// TestDamagedLog checks that damage before the end of the write-ahead log is not taken for a torn tail. Open
// must fail with file and offset and truncate nothing.
func TestDamagedLog(t *testing.T) {
	well := filepath.Join(t.TempDir(), "well")
	filled(t, t.Context(), well)
	for _, part := range []float64{.05, .3, .5, .8} {
		dir := filepath.Join(t.TempDir(), "hurt")
		ok(t, os.CopyFS(dir, os.DirFS(well)))
		log := largest(t, dir, ".log")
		flip(t, log, part)
		s, err := pebble.Open(t.Context(), dir, pebble.Options{})
		if err == nil {
			t.Errorf("opened with the log damaged at %.0f %%", 100*part)
			_ = s.Close()
			continue
		}
		if !errors.Is(err, docid.ErrCorrupt) {
			t.Errorf("damage came out as %v", err)
		}
		number := strings.TrimSuffix(filepath.Base(log), ".log")
		// If the witness has the checksum of the whole log, it sees the damage first, and knows no offset.
		where := strings.Contains(err.Error(), "offset") || strings.Contains(err.Error(), "not those that were written")
		if !where || !strings.Contains(err.Error(), number) {
			t.Errorf("the error names no file or no offset: %v", err)
		}
	}
}

// TestTornLog checks that a torn end of the log is cut off and everything before it remains.
func TestTornLog(t *testing.T) {
	dir := t.TempDir()
	filled(t, t.Context(), dir)
	log := largest(t, dir, ".log")
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	ok(t, err)
	_, err = f.WriteString("half a record that was never synced")
	ok(t, err)
	ok(t, f.Close())
	if r := check(t, dir); len(r.Problems) > 0 || r.Rows < 100 {
		t.Errorf("after a torn tail: %+v", r)
	}
}

// TestDamagedTable flips bits in a table file and a file of long values, and appends to them. Check must report
// problems or fail with the place.
func TestDamagedTable(t *testing.T) {
	well := filepath.Join(t.TempDir(), "well")
	s, err := pebble.Open(t.Context(), well, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
	ok(t, err)
	for n := range 40 {
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint(n), strings.Repeat(storetest.Base(n), 20)
		_, err := d.Add(t.Context(), sub)
		ok(t, err)
	}
	ok(t, s.Close())
	s, err = pebble.Open(t.Context(), well, pebble.Options{MemtableBytes: 64 << 10}) // smaller than the log: flushes it
	ok(t, err)
	ok(t, s.Close())
	for _, ending := range []string{".sst", ".blob"} {
		dir := filepath.Join(t.TempDir(), "longer")
		ok(t, os.CopyFS(dir, os.DirFS(well)))
		file := largest(t, dir, ending)
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		ok(t, err)
		_, err = f.Write(make([]byte, 100))
		ok(t, errors.Join(err, f.Close()))
		for _, witnessed := range []bool{true, false} {
			if !witnessed {
				ok(t, os.RemoveAll(filepath.Join(dir, "witness-0")))
				ok(t, os.RemoveAll(filepath.Join(dir, "witness-1")))
				ok(t, os.RemoveAll(filepath.Join(dir, "witness.live")))
			}
			_, err := pebble.Check(t.Context(), dir, pebble.Options{})
			if err == nil || (witnessed && (!errors.Is(err, docid.ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(file)))) {
				t.Errorf("100 bytes after %s, with a witness %v: %v", filepath.Base(file), witnessed, err)
			}
		}
		for _, part := range []float64{.01, .25, .5, .75} {
			dir := filepath.Join(t.TempDir(), "hurt")
			ok(t, os.CopyFS(dir, os.DirFS(well)))
			flip(t, largest(t, dir, ending), part)
			r, err := pebble.Check(t.Context(), dir, pebble.Options{})
			if err == nil && len(r.Problems) == 0 {
				t.Errorf("%s damaged at %.0f %%: nothing found", ending, 100*part)
			}
			if err != nil && (!errors.Is(err, docid.ErrCorrupt) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s damaged at %.0f %%: %v", ending, 100*part, err)
			}
		}
	}
}

// TestNothingPilesUp checks that repeated use leaks no goroutines, file handles or memory (I-17).
func TestNothingPilesUp(t *testing.T) {
	dir := t.TempDir()
	use := func() (goroutines, handles int, heap uint64) {
		filled(t, t.Context(), filepath.Join(dir, "data"))
		ok(t, os.RemoveAll(filepath.Join(dir, "data")))
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc to count file handles in")
		}
		return runtime.NumGoroutine(), len(open), m.HeapAlloc
	}
	use()
	g, h, m := use()
	for range 8 {
		use()
	}
	g2, h2, m2 := use()
	more := func() bool { return g2 > g || h2 > h || m2 > m+4<<20 }
	for end := time.Now().Add(time.Minute); more() && time.Now().Before(end); g2, h2, m2 = use() { // some may be ending
	}
	if more() {
		t.Errorf("goroutines %d then %d, file handles %d then %d, heap %d then %d", g, g2, h, h2, m, m2)
	}
}

// TestDamagedWhileOpen damages the end of a file of texts under an open store. Then the process is killed, or
// the engine panics in a compaction, which leaves the same files. The next start must fail with the file's
// name.
func TestDamagedWhileOpen(t *testing.T) {
	dir, crashed := filepath.Join(t.TempDir(), "running"), filepath.Join(t.TempDir(), "crashed")
	s, err := pebble.Open(t.Context(), dir, pebble.Options{MemtableBytes: 128 << 10})
	ok(t, err)
	say(t, s, map[string]answered{}, 60)
	ok(t, s.Close())
	s, err = pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	say(t, s, map[string]answered{}, 0)
	copyOpen(t, dir, crashed)
	ok(t, s.Close())
	file := largest(t, crashed, ".blob")
	flip(t, file, .999)
	again, err := pebble.Open(t.Context(), crashed, pebble.Options{})
	if err == nil {
		_ = again.Close()
		t.Fatal("served")
	}
	if !errors.Is(err, docid.ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(file)) {
		t.Errorf("refused without its name: %v", err)
	}
}
