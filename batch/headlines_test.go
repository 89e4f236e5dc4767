package batch

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
)

// headlines reads the 833,895 headlines of the shared data.
func headlines(tb testing.TB) []neardup.Document {
	z := shared.Unpacked(tb, "zh_weibo_hotsearch/titles.tsv.zst")
	var docs []neardup.Document
	for in := bufio.NewScanner(z); in.Scan(); {
		_, title, _ := strings.Cut(in.Text(), "\t")
		docs = append(docs, neardup.Document{ID: fmt.Sprint(len(docs) + 1), Text: title})
	}
	return docs
}

// BenchmarkHeadlines joins all headlines, documents in memory to decisions.
func BenchmarkHeadlines(b *testing.B) {
	docs := headlines(b)
	for _, c := range []struct {
		name string
		cfg  ngram.Config
	}{
		{"edit=0.8", ngram.Config{Similarity: ngram.Edit, Threshold: .8}},
		{"jaccard=0.8", ngram.Config{Similarity: ngram.Jaccard, Shingle: feature.Shingle{Unit: feature.Runes, K: 2}, Threshold: .8}},
		{"jaccard=0.6", ngram.Config{Similarity: ngram.Jaccard, Shingle: feature.Shingle{Unit: feature.Runes, K: 2}, Threshold: .6}},
		{"jaccard=0.5", ngram.Config{Similarity: ngram.Jaccard, Shingle: feature.Shingle{Unit: feature.Runes, K: 2}, Threshold: .5}},
	} {
		m, err := ngram.New(c.cfg)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				n := 0
				s, err := Pairs(context.Background(), Documents(docs), Config{Method: m, Clean: text.Default(), Workers: 1}, func(Pair) error {
					n++
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(n), "pairs")
				b.ReportMetric(float64(s.Work.Candidates), "candidates")
				b.ReportMetric(float64(s.Work.Verified), "verified")
				b.ReportMetric(s.ReadTime.Seconds(), "read-s")
			}
		})
	}
}
