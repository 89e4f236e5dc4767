package storetest

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
)

// RunSlowLink checks that a log can be read over a slow link, on which a page takes longer than the timeout for silence. It
// also checks that a read ends if nothing arrives.
func RunSlowLink(t *testing.T, log docid.Log, server string, over func(t *testing.T, link string) docid.Log) {
	const size = 1 << 20
	r, entry := rand.New(rand.NewPCG(1, 1)), make([]byte, size)
	for i := range entry {
		entry[i] = byte(r.Uint32())
	}
	if _, err := log.Append(t.Context(), docid.Anchor{}, entry); err != nil {
		t.Fatal(err)
	}
	link := services.StartSlowLink(t, server, 100*size)
	slow := over(t, link.Addr)
	link.Rate.Store(size / 3)
	began := time.Now()
	if got, err := slow.Read(t.Context(), docid.Anchor{}); err != nil || len(got) != 1 || !bytes.Equal(got[0], entry) {
		t.Errorf("a page that took %s: %d entries, %v", time.Since(began), len(got), err)
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("the page took %s: that shows nothing", took)
	}
	link.Rate.Store(0)
	if got, err := slow.Read(t.Context(), docid.Anchor{}); err == nil {
		t.Errorf("a silent log: %d entries", len(got))
	}
}
