package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A set of three pairs: one is reported, one removed, one a variant; what has
// a label is not drawn again, and is scored.
func TestDrawAndScore(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "data", "small")
	if err := os.MkdirAll(set, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(path string, lines ...string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(set, "docs.jsonl"),
		`{"id":"a","text":"the council will pay 500 pounds to each of the families in the valley"}`,
		`{"id":"b","text":"the council will pay 500 pounds to each of the families in the valley!"}`,
		`{"id":"c","text":"the council will pay 750 pounds to each of the families in the valley"}`,
		`{"id":"d","text":"a telescope has found a planet of a red star"}`,
		`{"id":"e","text":"A telescope has found a planet of a red star"}`) // equal: never drawn
	o := options{data: filepath.Join(dir, "data"), labels: dir, set: "small", half: -1, n: 10}
	got := func(kind string, score bool) string {
		t.Helper()
		o.kind, o.score = kind, score
		var out bytes.Buffer
		if err := run(context.Background(), &out, o); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if s := got("reported", false); strings.Count(s, "\n") != 1 || !strings.Contains(s, `"id_a":"a","id_b":"b"`) {
		t.Errorf("reported: %s", s)
	}
	if s := got("removed", false); strings.Count(s, "\n") != 1 {
		t.Errorf("removed: %s", s)
	}
	if s := got("missed", false); strings.Count(s, "\n") != 1 || !strings.Contains(s, `"kind":"number"`) {
		t.Errorf("missed: %s", s)
	}
	write(filepath.Join(dir, "small.jsonl"), `{"set":"small","id_a":"b","id_b":"a","label":"same","reason":"a mark"}`)
	if s := got("reported", false); s != "" {
		t.Errorf("drawn though it has a label: %s", s)
	}
	if s := got("reported", true); !strings.Contains(s, "1 drawn, 1 of them read") || !strings.Contains(s, "1 of 1") {
		t.Errorf("score: %s", s)
	}
}
