package load_test

import (
	"testing"

	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/store/memory"
)

// BenchmarkKinds is what an article of each kind of flood costs by itself,
// after 600 of its kind.
func BenchmarkKinds(b *testing.B) {
	for _, kind := range load.NewArticles().Floods() {
		if _, ok := kind.Request(1).Body.(load.Article); !ok {
			continue // changes no article
		}
		b.Run(kind.Name, func(b *testing.B) {
			store, err := memory.New(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			d := flooded(b, store)
			n, candidates, compared, fresh := 0, 0, 0, 0
			add := func() {
				a := kind.Request(n).Body.(load.Article)
				var sub docid.Submission
				sub.ID, sub.URL, sub.Title, sub.Text = a.NID, a.URL, a.Title, a.Content
				answer, err := d.Add(b.Context(), sub)
				if err != nil {
					b.Fatal(err)
				}
				n, candidates, compared = n+1, candidates+answer.Candidates, compared+answer.Compared
				if answer.Decision.Decision == "new" {
					fresh++
				}
			}
			for range 600 {
				add()
			}
			n0 := n
			candidates, compared, fresh = 0, 0, 0
			from := featuretest.CPU()
			for b.Loop() {
				add()
			}
			took := featuretest.CPU() - from
			count := float64(n - n0)
			b.ReportMetric(float64(took.Microseconds())/count, "cpu-us/article")
			b.ReportMetric(float64(candidates)/count, "candidates/article")
			b.ReportMetric(float64(compared)/count, "compared/article")
			b.ReportMetric(float64(fresh)/count, "new/article")
		})
	}
}
