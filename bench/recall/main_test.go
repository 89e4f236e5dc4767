package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "texts.jsonl")
	const docs = `{"id":"1","text":"please call our customer service about the delivery of your order"}
{"id":"2","text":"please call our customer service about the delivery of your orders"}
{"id":"3","text":"the winner of this draw collects 500 pounds at the harbour office"}
{"id":"4","text":"the winner of this draw collects 600 pounds at the harbour office"}
{"id":"5","text":"the museum opens its garden on sunday"}
`
	if err := os.WriteFile(file, []byte(docs), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run([]string{file}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 && len(lines) != 3 {
		t.Fatalf("lines %q", lines)
	}
	all := out.String()
	if !strings.Contains(all, "\t1\t1\t1.00000\t1\t1\t1.00000") {
		t.Errorf("no pair near and one of variants in %q", all)
	}
	if err := run([]string{"-method", "ngram", file}, &out); err == nil {
		t.Error("a trained method has no keys of its own")
	}
}

func TestShare(t *testing.T) {
	if !share([]uint64{1, 5, 9}, []uint64{2, 9}) || share([]uint64{1, 5}, []uint64{2, 9}) || share(nil, []uint64{1}) {
		t.Error("share is wrong")
	}
}
