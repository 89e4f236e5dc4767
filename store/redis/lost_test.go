package redis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/storetest"
)

// TestRestored: a Redis that is restored from a copy while servers are running
// gives no docId and no number a second time, and the servers go on by
// themselves. One that comes back empty is refused.
func TestRestored(t *testing.T) {
	ctx := t.Context()
	server := services.Redis(t)
	s, err := Open(ctx, Options{Address: "redis://" + server.Addr})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	lost := 0
	settings := storetest.Settings()
	settings.Lost = func(has, seen uint64) { lost += int(seen - has) }
	var servers [2]*docid.Detector
	for i := range servers {
		if servers[i], err = docid.NewDetector(ctx, s, "tenant", settings); err != nil {
			t.Fatal(err)
		}
	}
	numbers, ids := map[uint64]string{}, map[string]string{}
	add := func(who int, nid string, text int) docid.Answer {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(text)
		a, err := servers[who].Add(ctx, sub)
		if err != nil {
			t.Fatalf("add %s: %v", nid, err)
		}
		if other, ok := numbers[a.Seq]; ok && !a.Replayed {
			t.Errorf("%s got number %d, as %s did", nid, a.Seq, other)
		}
		numbers[a.Seq] = nid
		if other, ok := ids[a.DocID]; ok && other != fmt.Sprint(text) {
			t.Errorf("docId %s of text %s names text %d too", a.DocID, other, text)
		}
		ids[a.DocID] = fmt.Sprint(text)
		return a
	}
	kept := add(0, "kept", 0)
	add(1, "kept too", 1)
	server.Stop()
	files := filepath.Join(server.Dir, "appendonlydir")
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	for n := 2; n < 7; n++ {
		add(n%2, fmt.Sprint("lost", n), n)
	}
	restore := func() {
		t.Helper()
		server.Kill()
		if err := os.RemoveAll(files); err != nil {
			t.Fatal(err)
		}
		if copied != "" {
			if err := os.CopyFS(files, os.DirFS(copied)); err != nil {
				t.Fatal(err)
			}
		}
		server.Start(t)
	}
	restore()
	for n := 7; n < 12; n++ {
		add(n%2, fmt.Sprint("after", n), n)
	}
	if a := add(1, "copy", 0); a.DocID != kept.DocID {
		t.Errorf("a copy of what was kept is %s, want %s", a.DocID, kept.DocID)
	}
	if lost != 4 { // server 1 has not seen the last
		t.Errorf("told of %d lost changes, want 4", lost)
	}
	copied = ""
	restore()
	var sub docid.Submission
	sub.Text = storetest.Base(0)
	if a, err := servers[0].Add(ctx, sub); !errors.Is(err, docid.ErrBehind) {
		t.Errorf("an empty Redis in the place of the other: %+v, %v", a, err)
	}
}
