package load_test

import (
	"fmt"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/text"
)

// flooded opens an index with the cascade of the service.
func flooded(tb testing.TB, store docid.Store) *docid.Detector {
	tb.Helper()
	content := func(seed uint64, _ []byte) (neardup.Method, error) {
		return methods.New(fmt.Sprint("auto seed=", seed))
	}
	agrees := func(seed uint64, _ []byte) (neardup.Method, error) {
		return methods.New(fmt.Sprint("jaccard threshold=.2 seed=", seed))
	}
	d, err := docid.NewDetector(tb.Context(), store, "flooded", docid.Settings{
		Clean: text.Default(), URL: docid.Exact, Title: docid.Exact, Content: docid.Near, ContentMethod: content, TitleAgrees: agrees,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// flood adds articles from..to of a flood into one bucket, all new.
func flood(tb testing.TB, d *docid.Detector, from, to int) (candidates int) {
	tb.Helper()
	articles := load.NewArticles()
	for n := from; n < to; n++ {
		a := articles.Crowd(n)
		var sub docid.Submission
		sub.ID, sub.URL, sub.Title, sub.Text = a.NID, a.URL, a.Title, a.Content
		answer, err := d.Add(tb.Context(), sub)
		if err != nil || answer.Decision.Decision != neardup.New {
			tb.Fatalf("article %d: %v, %v", n, answer.Decision, err)
		}
		candidates += answer.Candidates
	}
	return candidates
}

// BenchmarkFlood is what an article costs that shares keys with nearly all of
// 3,000 to 4,000 leaders and is near none.
func BenchmarkFlood(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		store, err := memory.New(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		d := flooded(b, store)
		flood(b, d, 0, 3000)
		b.StartTimer()
		from := featuretest.CPU()
		candidates := flood(b, d, 3000, 4000)
		took := featuretest.CPU() - from
		b.ReportMetric(float64(took.Microseconds())/1000, "cpu-us/article")
		b.ReportMetric(float64(took.Nanoseconds())/float64(candidates), "cpu-ns/candidate")
		b.ReportMetric(float64(candidates)/1000, "candidates/article")
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
