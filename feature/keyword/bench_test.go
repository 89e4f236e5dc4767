package keyword_test

import (
	"bufio"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
)

// cleanTexts returns the first n texts of a set, clean.
func cleanTexts(tb testing.TB, set string, n int) (texts []string, size int) {
	tb.Helper()
	z := shared.Unpacked(tb, set+"/docs.jsonl.zst")
	for in := json.NewDecoder(bufio.NewReader(z)); len(texts) < n; {
		var doc struct{ Text string }
		if err := in.Decode(&doc); err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, text.Default().Clean(doc.Text))
		size += len(texts[len(texts)-1])
	}
	return texts, size
}

// BenchmarkKeywords measures the keywords of articles in MB a second of the processor.
func BenchmarkKeywords(b *testing.B) {
	for name, set := range map[string]string{"english": "ota_terms_versions", "chinese": "zh_lctt_proofread"} {
		b.Run(name, func(b *testing.B) {
			e, err := keyword.Default()
			if err != nil {
				b.Fatal(err)
			}
			texts, size := cleanTexts(b, set, 300)
			for i, t := range texts { // of an article's length
				for most := 1300; len(t) > most; most++ {
					if utf8.RuneStart(t[most]) {
						t = t[:most]
					}
				}
				size += len(t) - len(texts[i])
				texts[i] = t
			}
			b.ReportAllocs()
			var words []keyword.Keyword
			from := featuretest.CPU()
			for b.Loop() {
				for _, t := range texts {
					words = e.Append(words[:0], t)
				}
			}
			featuretest.ReportCPU(b, from, int64(size))
		})
	}
}
