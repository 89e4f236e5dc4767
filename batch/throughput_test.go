package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/text"
)

// BenchmarkDedupText decides the texts of the JSONL file that
// NEARDUP_BENCH_JSONL names: raw texts in memory to decisions, one worker.
func BenchmarkDedupText(b *testing.B) {
	path := os.Getenv("NEARDUP_BENCH_JSONL")
	if path == "" {
		b.Skip("NEARDUP_BENCH_JSONL names no file")
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var docs []neardup.Document
	size := int64(0)
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var d struct{ ID, Text string }
		if err := json.Unmarshal(in.Bytes(), &d); err != nil {
			b.Fatal(err)
		}
		docs = append(docs, neardup.Document{ID: d.ID, Text: d.Text})
		size += int64(len(d.Text))
	}
	m, err := minhash.New(minhash.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		cfg := Config{Method: m, Clean: text.Default(), Workers: 1}
		if _, err := Dedup(context.Background(), Documents(docs), cfg, func(Outcome) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
