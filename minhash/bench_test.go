package minhash_test

import (
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/minhash"
)

// someTexts returns texts of a set, about 8 MB of them.
func someTexts(tb testing.TB, set featuretest.Set) ([]string, int64) {
	texts := set.Texts(tb).Clean
	size := 0
	for i, t := range texts {
		size += len(t)
		if size > 8<<20 {
			return texts[:i+1], int64(size)
		}
	}
	return texts, int64(size)
}

// BenchmarkMethod measures clean text to record and to view, and Compare of
// neighbours.
func BenchmarkMethod(b *testing.B) {
	for _, bench := range []struct {
		name    string
		set     featuretest.Set
		shingle feature.Shingle
	}{
		{"english", featuretest.OTA, feature.Shingle{Unit: feature.Words, K: 3}},
		{"chinese", featuretest.LCTT, feature.Shingle{Unit: feature.Runes, K: 3}},
		{"chinese-auto", featuretest.LCTT, feature.Default},
		{"sms", featuretest.SMS, feature.Default},
	} {
		texts, size := someTexts(b, bench.set)
		m, err := minhash.New(minhash.Config{Shingle: bench.shingle})
		if err != nil {
			b.Fatal(err)
		}
		run := func(what string, f func(text string)) {
			b.Run(bench.name+"/"+what, func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				start := featuretest.CPU()
				for b.Loop() {
					for _, t := range texts {
						f(t)
					}
				}
				featuretest.ReportCPU(b, start, size)
			})
		}
		var rec neardup.Record
		run("record", func(text string) { m.Record(text, &rec) })
		run("view", func(text string) { m.Prepare(text) })
		last := m.Prepare(texts[0])
		views := map[string]neardup.Prepared{}
		for _, t := range texts {
			views[t] = m.Prepare(t)
		}
		run("compare", func(text string) {
			m.Compare(last, views[text])
			last = views[text]
		})
	}
}
