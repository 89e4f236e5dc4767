package load_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/load"
)

// TestLatencyCountsFromWhenItWasDue: while a server stalls, what was due waits,
// and its wait is measured: half of the requests here were due in the stall.
func TestLatencyCountsFromWhenItWasDue(t *testing.T) {
	const stall = 400 * time.Millisecond
	var first atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if first.CompareAndSwap(false, true) {
			time.Sleep(stall)
		}
	}))
	defer server.Close()
	articles := load.NewArticles()
	r := load.NewTarget(server.URL, "", 1).Open(t.Context(), load.Submit(articles.Make), 0, 200, stall, 1)
	if r.Sent < 20 || r.Failed > 0 || r.Most < stall || r.P50 < stall/10 {
		t.Errorf("a stall of %s is hidden: %s", stall, r)
	}
}

func TestArticles(t *testing.T) {
	a := load.NewArticles()
	if a.Make(7) != load.NewArticles().Make(7) {
		t.Error("article 7 is not always the same")
	}
	for n := range 3000 {
		if size := len(a.Make(n).Content); size < 3000 || size > 3100 {
			t.Fatalf("article %d has %d bytes", n, size)
		}
	}
	original, copied := strings.Fields(a.Make(0).Content), strings.Fields(a.Make(2).Content)
	same := 0
	for i := range min(len(original), len(copied)) {
		if original[i] == copied[i] {
			same++
		}
	}
	if same < len(original)*9/10 || same == len(original) {
		t.Errorf("article 2 shares %d of %d words with article 0", same, len(original))
	}
}
