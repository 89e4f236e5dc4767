package segment_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/internal/shared"
	"github.com/neardup/neardup/text/segment"
)

// articles returns the first n texts of a set of Chinese articles.
func articles(tb testing.TB, n int) []string {
	f, err := os.Open(shared.Path(tb, "zh_lctt_proofread/docs.jsonl.zst"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
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
				from := cpuSeconds(b)
				for b.Loop() {
					for _, text := range corpus.texts {
						words = g.Cut(words[:0], text, mode.mode)
					}
				}
				b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds(b)-from), "MB/cpu-s")
			})
		}
	}
}

// cpuSeconds is the user and system time of the process, which other programs
// on the machine disturb less than the clock.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkNew(b *testing.B) {
	from := cpuSeconds(b)
	for b.Loop() {
		if _, err := segment.New(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpuSeconds(b)-from)/float64(b.N), "cpu-s/op")
}
