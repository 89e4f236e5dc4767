package pebble_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// damages returns how many damages TestDamages makes: 48, or 300 with NEARDUP_LONG.
func damages() int {
	if os.Getenv("NEARDUP_LONG") != "" {
		return 300
	}
	return 48
}

// TestDamages damages every file of a stopped or killed store in turn: it flips a bit, cuts, zeroes, removes or
// extends. The store may refuse to open with the file's name and an unchanged folder. Otherwise it must return
// every answer or report damage, but never a different answer or "not found".
func TestDamages(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it is concurrent")
	}
	stopped, answers := attacked(t)
	killed := filepath.Join(t.TempDir(), "killed")
	moreAnswers := withoutClosing(t, stopped, killed, answers)
	done, refused := 0, 0
	for round := 0; done < damages(); round++ {
		for _, victim := range []struct {
			dir     string
			answers map[string]answered
		}{{stopped, answers}, {killed, moreAnswers}} {
			for _, file := range filesOf(t, victim.dir) {
				kind := []string{"flip", "cut", "zero", "missing", "longer"}[(round+done)%5]
				r := rand.New(rand.NewPCG(uint64(round), uint64(done)))
				done++
				if done > damages() {
					break
				}
				dir := filepath.Join(t.TempDir(), "hurt")
				ok(t, os.CopyFS(dir, os.DirFS(victim.dir)))
				what := hurtFile(t, filepath.Join(dir, file), kind, r)
				if wasRefused(t, dir, file, what, victim.answers) {
					refused++
				}
				ok(t, os.RemoveAll(dir))
			}
		}
	}
	t.Logf("%d damages, %d refused at the start, the rest without a lie", min(done, damages()), refused)
}

// answered records what a client sent and received.
type answered struct {
	sub    docid.Submission
	answer docid.Answer
}

// attacked makes a store with every kind of file in it.
func attacked(t *testing.T) (string, map[string]answered) {
	dir, answers := filepath.Join(t.TempDir(), "stopped"), map[string]answered{}
	for range 2 {
		s, err := pebble.Open(t.Context(), dir, pebble.Options{MemtableBytes: 128 << 10})
		ok(t, err)
		say(t, s, answers, 60)
		ok(t, s.Close())
	}
	return dir, answers
}

func say(t *testing.T, s *pebble.Store, answers map[string]answered, n int) {
	d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
	ok(t, err)
	for range n {
		var sub docid.Submission
		i := len(answers)
		sub.ID, sub.Text = fmt.Sprint("a", i), storetest.Base(i%40)
		sub.URL, sub.Media = fmt.Sprint("https://example.org/", i), strings.Repeat("m", 40*i)
		a, err := d.Add(t.Context(), sub)
		ok(t, err)
		answers[sub.ID] = answered{sub, a}
	}
}

// withoutClosing opens a copy, works, and copies the files as a kill would leave them.
func withoutClosing(t *testing.T, from, to string, before map[string]answered) map[string]answered {
	answers, dir := maps.Clone(before), filepath.Join(t.TempDir(), "running")
	ok(t, os.CopyFS(dir, os.DirFS(from)))
	s, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	say(t, s, answers, 30)
	copyOpen(t, dir, to)
	ok(t, s.Close())
	return answers
}

// copyOpen copies the folder of an open store as of one moment. It repeats the copy if the store wrote
// meanwhile, which happens once a second.
func copyOpen(t *testing.T, dir, to string) {
	t.Helper()
	for {
		ok(t, os.RemoveAll(to))
		err := os.CopyFS(to, os.DirFS(dir))
		if err == nil && maps.Equal(contents(t, dir), contents(t, to)) {
			return
		}
		if !errors.Is(err, fs.ErrNotExist) {
			ok(t, err)
		}
	}
}

func filesOf(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	ok(t, err)
	var names []string
	for _, e := range entries {
		if e.Name() != "LOCK" {
			names = append(names, e.Name())
		}
	}
	return names
}

func hurtFile(t *testing.T, path, kind string, r *rand.Rand) string {
	content, err := os.ReadFile(path)
	ok(t, err)
	if len(content) == 0 || kind == "missing" {
		ok(t, os.Remove(path))
		return "missing"
	}
	at := r.IntN(len(content))
	switch kind {
	case "flip":
		content[at] ^= 1 << r.IntN(8)
	case "cut":
		content = content[:at]
	case "zero":
		clear(content[at:min(len(content), at+1+r.IntN(4096))])
	case "longer":
		content = append(content, strings.Repeat("x", 100)...)
	}
	ok(t, os.WriteFile(path, content, 0o600))
	return fmt.Sprintf("%s at %d", kind, at)
}

// wasRefused opens a damaged folder, checks it, and compares it with the answers.
func wasRefused(t *testing.T, dir, file, what string, answers map[string]answered) bool {
	t.Helper()
	before := contents(t, dir)
	_, checked := pebble.Check(t.Context(), dir, pebble.Options{})
	if checked != nil && !errors.Is(checked, docid.ErrCorrupt) {
		t.Errorf("%s %s: check says %v", file, what, checked)
	}
	if after := contents(t, dir); !maps.Equal(before, after) {
		t.Errorf("%s %s: check has changed the folder", file, what)
	}
	s, err := pebble.Open(t.Context(), dir, pebble.Options{})
	if err != nil {
		if !errors.Is(err, docid.ErrCorrupt) {
			t.Errorf("%s %s: refused as %v", file, what, err)
		}
		if !strings.Contains(err.Error(), strings.TrimLeft(strings.SplitN(file, ".", 2)[0], "0")) {
			t.Errorf("%s %s: the refusal does not name the file: %v", file, what, err)
		}
		if after := contents(t, dir); !maps.Equal(before, after) && !strings.HasSuffix(file, ".sst") {
			t.Errorf("%s %s: refused, but the folder was changed", file, what)
		}
		return true
	}
	hold(t, s, file+" "+what, answers)
	_ = s.Close() // damage may prevent a clean close
	return false
}

// hold requests every answer from a store, by nid and by repeating the request.
func hold(t *testing.T, s *pebble.Store, what string, answers map[string]answered) {
	t.Helper()
	d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	honest := func(docID, want string, err error) bool {
		return (err == nil && docID == want) || errors.Is(err, docid.ErrCorrupt) || errors.Is(err, docid.ErrUnavailable)
	}
	for nid, a := range answers {
		if _, docID, err := d.Member(context.Background(), nid); !honest(docID, a.answer.DocID, err) {
			t.Errorf("%s: a lie about %s: %q, %v", what, nid, docID, err)
			return
		}
		if again, err := d.Add(context.Background(), a.sub); !honest(again.DocID, a.answer.DocID, err) {
			t.Errorf("%s: another answer for %s: %q, %v", what, nid, again.DocID, err)
			return
		}
	}
}

func contents(t *testing.T, dir string) map[string][32]byte {
	out := map[string][32]byte{}
	for _, name := range filesOf(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) { // a failed engine undoes what it had begun
			continue
		}
		ok(t, err)
		out[name] = sha256.Sum256(b)
	}
	return out
}
