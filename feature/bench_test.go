package feature_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/featuretest"
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

func BenchmarkAppend(b *testing.B) {
	for _, bench := range []struct {
		set  featuretest.Set
		spec string
	}{
		{featuretest.OTA, "words:3"},
		{featuretest.OTA, "auto:3"},
		{featuretest.OTA, "runes:4"},
		{featuretest.LCTT, "runes:3"},
		{featuretest.LCTT, "runes:4"},
		{featuretest.LCTT, "auto:3"},
		{featuretest.Laws, "runes:3"},
		{featuretest.Laws, "auto:3"},
		{featuretest.SMS, "words:3"},
		{featuretest.SMS, "runes:4"},
	} {
		b.Run(strings.ReplaceAll(bench.set.Name+"/"+bench.spec, ":", ""), func(b *testing.B) {
			texts, size := someTexts(b, bench.set)
			s, err := feature.ParseShingle(bench.spec)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			b.ReportAllocs()
			var dst []uint64
			start := featuretest.CPU()
			for b.Loop() {
				for _, t := range texts {
					dst = s.Append(dst[:0], t, 1)
				}
			}
			featuretest.ReportCPU(b, start, size)
		})
	}
}
