package token

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
)

// cleanTexts returns a megabyte of clean text, in pieces as long as an article.
func cleanTexts(b *testing.B, file string) (texts []string) {
	b.Helper()
	raw, err := os.ReadFile(shared.Path(b, file))
	if err != nil {
		b.Fatal(err)
	}
	if strings.HasSuffix(file, ".zst") {
		d, err := zstd.NewReader(bytes.NewReader(raw))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		raw, err = io.ReadAll(io.LimitReader(d, 1<<20))
		if err != nil {
			b.Fatal(err)
		}
	}
	all := text.Default().Clean(string(raw[:min(len(raw), 1<<20)]))
	for len(all) > 4000 {
		texts, all = append(texts, all[:3999]), all[3999:]
	}
	return texts
}

func BenchmarkCut(b *testing.B) {
	for _, bench := range []struct{ name, file string }{
		{"english", "minhash_plagiarism_news/articles_1000.train"},
		{"messages", "uci_sms/docs.jsonl"},
		{"chinese", "zh_laws/docs.jsonl.zst"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			texts := cleanTexts(b, bench.file)
			c := newCutter(b)
			size := 0
			for _, s := range texts {
				c.Cut(s)
				size += len(s)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			start := featuretest.CPU()
			for b.Loop() {
				for _, s := range texts {
					c.Cut(s)
				}
			}
			featuretest.ReportCPU(b, start, int64(size))
		})
	}
}
