package segment_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text/segment"
)

// articles returns the first n texts of a set of Chinese articles.
func articles(tb testing.TB, n int) []string {
	z := shared.Unpacked(tb, "zh_lctt_proofread/docs.jsonl.zst")
	var texts []string
	for in := json.NewDecoder(bufio.NewReader(z)); len(texts) < n; {
		var doc struct{ Text string }
		if err := in.Decode(&doc); err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, doc.Text)
	}
	return texts
}

// chinese keeps the Chinese characters and the punctuation of a text.
func chinese(texts []string) []string {
	kept := make([]string, len(texts))
	for i, text := range texts {
		kept[i] = strings.Map(func(r rune) rune {
			if r < 0x2000 && r != '\n' {
				return -1
			}
			return r
		}, text)
	}
	return kept
}

func BenchmarkCut(b *testing.B) {
	g, err := segment.Default()
	if err != nil {
		b.Fatal(err)
	}
	mixed := articles(b, 500)
	for _, corpus := range []struct {
		name  string
		texts []string
	}{{"articles", mixed}, {"chinese", chinese(mixed)}} {
		for _, mode := range []struct {
			name string
			mode segment.Mode
		}{{"dictionary", segment.Dictionary}, {"hmm", segment.HMM}} {
			b.Run(corpus.name+"/"+mode.name, func(b *testing.B) {
				b.ReportAllocs()
				var words []string
				size := 0
				for _, text := range corpus.texts {
					size += len(text)
				}
				from := featuretest.CPU()
				for b.Loop() {
					for _, text := range corpus.texts {
						words = g.Cut(words[:0], text, mode.mode)
					}
				}
				featuretest.ReportCPU(b, from, int64(size))
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	from := featuretest.CPU()
	for b.Loop() {
		if _, err := segment.New(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((featuretest.CPU()-from).Seconds()/float64(b.N), "cpu-s/op")
}
