package pebble_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// TestDiskGivenBack ends 9 of 10 docIds. The open folder must shrink to half or less, depending on compactions,
// and keep the rest.
func TestDiskGivenBack(t *testing.T) {
	dir := t.TempDir()
	s, err := pebble.Open(t.Context(), dir, pebble.Options{MemtableBytes: 256 << 10})
	ok(t, err)
	set := storetest.Settings()
	set.Title, set.Content = docid.Off, docid.Exact
	d, err := docid.NewDetector(t.Context(), s, "tenant", set)
	ok(t, err)
	const articles = 1200
	docIDs := make([]string, articles)
	for n := range docIDs {
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint(n), letters(uint64(n), 4000)
		a, err := d.Add(t.Context(), sub)
		ok(t, err)
		docIDs[n] = a.DocID
	}
	before := bytesOf(t, dir)
	for n, docID := range docIDs {
		if n%10 != 0 {
			_, err := d.End(t.Context(), docID)
			ok(t, err)
		}
	}
	for deadline := time.Now().Add(2 * time.Minute); bytesOf(t, dir) > before/2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the folder had %d bytes and has %d", before, bytesOf(t, dir))
		}
	}
	for n := 0; n < articles; n += 10 {
		g, err := d.Group(t.Context(), docIDs[n], 0, 1)
		if err != nil || g.Kept == nil || g.Kept.Text != letters(uint64(n), 4000) {
			t.Fatalf("article %d is not whole: %v", n, err)
		}
	}
	ok(t, s.Close())
	if r := check(t, dir); len(r.Problems) > 0 {
		t.Errorf("%v", r.Problems)
	}
}

// letters do not compress well.
func letters(seed uint64, n int) string {
	r, b := rand.New(rand.NewPCG(seed, 1)), make([]byte, n)
	for i := range b {
		b[i] = byte('!' + r.IntN(90))
	}
	return string(b)
}

func bytesOf(t *testing.T, dir string) (sum int64) {
	entries, err := os.ReadDir(dir)
	ok(t, err)
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil { // files come and go
			sum += info.Size()
		}
	}
	return sum
}
