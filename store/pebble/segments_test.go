package pebble_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// TestFolderWithoutSegments opens a folder of an older program, whose postings are all made at start. It must
// get segments in the background and answer as before, also after another start.
func TestFolderWithoutSegments(t *testing.T) {
	dir := t.TempDir()
	s, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	texts := storetest.NewTexts(5, 60)
	d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
	ok(t, err)
	for n := range 300 {
		sub := texts.Next()
		a, err := d.Add(t.Context(), sub)
		ok(t, err)
		if n%9 == 8 {
			_, err = d.End(t.Context(), a.DocID)
			ok(t, err)
		}
	}
	asked := make([]docid.Submission, 100)
	for i := range asked {
		asked[i] = texts.Next()
		asked[i].ID = ""
	}
	want := answersOf(t, d, asked)
	if n := segments(t, d); n != 0 {
		t.Fatalf("%d segments at once", n)
	}
	ok(t, s.Close())
	for range 2 {
		s, err = pebble.Open(t.Context(), dir, pebble.Options{Postings: 20})
		ok(t, err)
		d, err = docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
		ok(t, err)
		for segments(t, d) == 0 {
			time.Sleep(time.Millisecond)
		}
		for i, got := range answersOf(t, d, asked) {
			if got != want[i] {
				t.Errorf("%d: %s, was %s", i, got, want[i])
			}
		}
		ok(t, s.Close())
		if r := check(t, dir); len(r.Problems) > 0 {
			t.Errorf("%v", r.Problems)
		}
	}
}

func answersOf(t *testing.T, d *docid.Detector, asked []docid.Submission) []string {
	t.Helper()
	var out []string
	for _, sub := range asked {
		a, err := d.Check(t.Context(), sub)
		ok(t, err)
		out = append(out, fmt.Sprint(a.Decision.Decision, a.DocID, a.Stage, a.Similarity))
	}
	return out
}

func segments(t *testing.T, d *docid.Detector) int64 {
	t.Helper()
	figures, err := d.Index().Catalog().Engine(t.Context())
	ok(t, err)
	return figures["segments"]
}
