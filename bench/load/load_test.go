package load_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/store/memory"
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
		if size := len(a.Make(n).Content); size < 3000 || size > 3250 {
			t.Fatalf("article %d has %d bytes", n, size)
		}
	}
}

// TestShare: every third article is a duplicate, all others are new, and both the
// title and the content are what finds them. Of copies of one article all but the first are.
func TestShare(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := standard.Open(t.Context(), store, "share")
	if err != nil {
		t.Fatal(err)
	}
	stages, a := map[docid.Stage]int{}, load.NewArticles()
	add := func(article load.Article, duplicate bool) {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.URL, sub.Title, sub.Text = article.NID, article.URL, article.Title, article.Content
		answer, err := d.Add(t.Context(), sub)
		if err != nil || (answer.Decision.Decision == neardup.Duplicate) != duplicate || answer.VariantOf != "" {
			t.Fatalf("article %s: %+v, %v", article.NID, answer, err)
		}
		stages[answer.Stage]++
	}
	for n := range 300 {
		add(a.Make(n), n%3 == 2)
	}
	if stages[docid.StageTitle] < 20 || stages[docid.StageContent] < 20 {
		t.Errorf("found by %v", stages)
	}
	for n := 3000; n < 3060; n += 3 {
		for site := range 16 {
			add(a.Copy(n, site), site > 0)
		}
	}
}
