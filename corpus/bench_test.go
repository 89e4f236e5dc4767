//go:build unix

package corpus

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/test/shared"
)

// plain unpacks a shared JSONL file into the test's own directory.
func plain(b *testing.B, name string) string {
	b.Helper()
	z := shared.Unpacked(b, name)
	content, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return put(b, b.TempDir(), "docs.jsonl", string(content))
}

// walkOnce reads a file to its end.
func walkOnce(b *testing.B, path string, opt Options, decode bool) {
	r, err := Open([]string{path}, opt)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	d := r.NewDecoder()
	var doc neardup.Document
	for {
		it, err := r.Next()
		if err == io.EOF {
			return
		}
		if err == nil && decode {
			err = d.Decode(it, &doc)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// cpuTime returns the processor time of the process, user and system. On a busy machine no other figure is
// meaningful.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func reportCPU(b *testing.B, size int64, start time.Duration) {
	used := (cpuTime() - start).Seconds()
	b.ReportMetric(float64(size)*float64(b.N)/1e6/used, "MB/cpu-s")
}

func benchFile(b *testing.B, path string, size int64, opt Options, decode bool) {
	b.Helper()
	if size == 0 {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		size = info.Size()
	}
	b.SetBytes(size)
	b.ReportAllocs()
	start := cpuTime()
	for b.Loop() {
		walkOnce(b, path, opt, decode)
	}
	reportCPU(b, size, start)
}

// MB/s of the file, decompressed: framing alone, and with documents made of it
// on the same core.
func BenchmarkJSONL(b *testing.B) {
	for _, name := range []string{"ota_terms_versions", "zh_lctt_proofread"} {
		path := plain(b, name+"/docs.jsonl.zst")
		info, _ := os.Stat(path)
		b.Run(name+"/frame", func(b *testing.B) { benchFile(b, path, 0, Options{}, false) })
		b.Run(name+"/decode", func(b *testing.B) { benchFile(b, path, 0, Options{}, true) })
		b.Run(name+"/zstd", func(b *testing.B) {
			benchFile(b, shared.Path(b, name+"/docs.jsonl.zst"), info.Size(), Options{}, true)
		})
	}
	sms := shared.Path(b, "uci_sms/docs.jsonl")
	b.Run("uci_sms/decode", func(b *testing.B) { benchFile(b, sms, 0, Options{}, true) })
}

// The decoder alone on items that are in memory.
func BenchmarkDecodeJSONL(b *testing.B) {
	for _, name := range []string{"ota_terms_versions", "zh_lctt_proofread"} {
		b.Run(name, func(b *testing.B) {
			r, err := Open([]string{shared.Path(b, name+"/docs.jsonl.zst")}, Options{})
			if err != nil {
				b.Fatal(err)
			}
			res, err := drain(r)
			if err != nil {
				b.Fatal(err)
			}
			var size int64
			for _, it := range res.items {
				size += int64(len(it.Raw))
			}
			b.SetBytes(size)
			b.ReportAllocs()
			d := r.NewDecoder()
			var doc neardup.Document
			start := cpuTime()
			for b.Loop() {
				for _, it := range res.items {
					if err := d.Decode(it, &doc); err != nil {
						b.Fatal(err)
					}
				}
			}
			reportCPU(b, size, start)
		})
	}
}

func BenchmarkTables(b *testing.B) {
	row := "id-1,\"some words, and \"\"quotes\"\" of a text " + strings.Repeat("with more words in it ", 40) + "\",2026-01-02\n"
	csv := put(b, b.TempDir(), "a.csv", "id,text,time\n"+strings.Repeat(row, 20000))
	b.Run("csv", func(b *testing.B) { benchFile(b, csv, 0, Options{}, true) })
	tsv := put(b, b.TempDir(), "a.tsv", "id\ttext\n"+strings.Repeat("id-1\t"+strings.Repeat("some words ", 80)+"\n", 20000))
	b.Run("tsv", func(b *testing.B) { benchFile(b, tsv, 0, Options{}, true) })
}

func BenchmarkWARC(b *testing.B) {
	rec := page("1", "<p>"+strings.Repeat("some words of a page ", 500)+"</p>")
	opt := Options{Extract: func(p []byte, _, _ string) (Page, error) { return Page{Text: "x"}, nil }}
	var packed bytes.Buffer
	for range 500 {
		packed.WriteString(gz(rec))
	}
	plain := put(b, b.TempDir(), "a.warc", strings.Repeat(rec, 500))
	members := put(b, b.TempDir(), "a.warc.gz", packed.String())
	size := int64(len(rec) * 500)
	b.Run("plain", func(b *testing.B) { benchFile(b, plain, size, opt, true) })
	b.Run("gzip", func(b *testing.B) { benchFile(b, members, size, opt, true) })
}

func BenchmarkSmallFiles(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		put(b, dir, filepath.Join(string(rune('a'+i%20)), string(rune('a'+i/20))+".txt"), strings.Repeat("some words ", 100))
	}
	benchFile(b, dir, 1000*1100, Options{}, true)
}
