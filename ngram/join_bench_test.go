package ngram_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
)

// BenchmarkHeadlines joins all headlines exactly, from distinct clean texts to
// verified pairs: train, keys, group, scan, compare.
func BenchmarkHeadlines(b *testing.B) {
	texts := headlines(b)
	for _, c := range []ngram.Config{
		{Threshold: .8},
		{Threshold: .7},
		{Threshold: .9},
		{Similarity: ngram.Jaccard, Threshold: .8},
		{Similarity: ngram.Jaccard, Threshold: .6},
		{Similarity: ngram.Jaccard, Threshold: .5},
		{Similarity: ngram.Cosine, Threshold: .8},
		{Threshold: .8, Shingle: feature.Shingle{Unit: feature.Words, K: 1}, Keys: ngram.Any},
	} {
		m, err := ngram.New(c)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s=%g,%s", m.Spec().Params[1].Value, c.Threshold, c.Keys), func(b *testing.B) {
			for b.Loop() {
				start := time.Now()
				trained := trainAsFits(m, texts)
				counted := time.Now()
				w := join(trained, texts, func(pair, neardup.Match) {})
				b.ReportMetric(counted.Sub(start).Seconds(), "train-s")
				b.ReportMetric(time.Since(counted).Seconds(), "join-s")
				b.ReportMetric(float64(w.keys)/float64(len(texts)), "keys/text")
				b.ReportMetric(float64(w.scanned)/float64(len(texts)), "scanned/text")
				b.ReportMetric(float64(w.compared)/float64(len(texts)), "compared/text")
				b.ReportMetric(float64(w.near), "pairs")
			}
		})
	}
}
