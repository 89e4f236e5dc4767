package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A set of which one text is removed and one kept as a variant: both are drawn,
// without saying which is which; what has a label is not drawn again, and is scored.
func TestDrawAndScore(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "data", "small")
	if err := os.MkdirAll(set, 0o755); err != nil {
		t.Fatal(err)
	}
	labels := filepath.Join(dir, "small.jsonl")
	write := func(path string, lines ...string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(set, "docs.jsonl"),
		`{"id":"b","text":"the council will pay 500 pounds to each of the families in the valley"}`,
		`{"id":"a","text":"the council will pay 500 pounds to each of the families in the valley!"}`,
		`{"id":"c","text":"the council will pay 750 pounds to each of the families in the valley"}`,
		`{"id":"d","text":"a telescope has found a planet of a red star"}`,
		`{"id":"e","text":"A telescope has found a planet of a red star"}`) // equal: never drawn
	o := options{data: "nowhere" + string(filepath.ListSeparator) + filepath.Join(dir, "data"), labels: dir, set: "small", n: 10}
	got := func(score bool) string {
		t.Helper()
		o.score = score
		var out bytes.Buffer
		if err := run(context.Background(), &out, o); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	drawn := got(false)
	if strings.Count(drawn, "\n") != 2 || !strings.Contains(drawn, `"id_a":"a","id_b":"b"`) ||
		!strings.Contains(drawn, `"id_a":"b","id_b":"c"`) || strings.Contains(drawn, "number") {
		t.Errorf("drawn: %s", drawn)
	}
	ab := func(label string) string { return `{"set":"small","id_a":"a","id_b":"b","label":"` + label + `"}` }
	bc := func(label string) string { return `{"set":"small","id_a":"b","id_b":"c","label":"` + label + `"}` }
	for _, c := range []struct{ labels, removed, kept string }{
		{ab("same"), "1 of 1;", "-, 1 without a label"},
		{ab("facts") + "\n" + bc("facts"), "0 of 1;", "1 of 1"},
		{ab("part") + "\n" + bc("version"), "0 of 1;", "0 of 1"},
		{ab("unsure") + "\n" + bc("same"), "-, 1 unsure;", "0 of 1"},
	} {
		write(labels, c.labels)
		if s := got(false); strings.Count(s, "\n") != 1-strings.Count(c.labels, "\n") {
			t.Errorf("%s: drawn though it has a label: %s", c.labels, s)
		}
		removed, kept, _ := strings.Cut(strings.TrimSpace(got(true)), " kept ")
		if !strings.HasSuffix(removed, c.removed) || !strings.HasSuffix(kept, c.kept) {
			t.Errorf("%s: removed %s kept %s", c.labels, removed, kept)
		}
	}
	write(labels, ab("same")+"\n"+bc("facts"))
	table := filepath.Join(dir, "pairs.tsv")
	write(table, "set\tid_a\tid_b\tlabel", "small\tb\tc\tfacts")
	for files, want := range map[string]int{labels: 2, table: 1} {
		o.learned = []string{files}
		if s := got(true); strings.Count(s, "(0 of 0 not learned from)") != want {
			t.Errorf("learned from %s: %s", files, s)
		}
	}
}

// Every committed label is one of those that count or say why not, and no pair has two.
func TestCommittedLabels(t *testing.T) {
	files, err := filepath.Glob("apart/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("labels: %v, %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		known, err := readLabels(file)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(content), "\n"); len(known) != lines {
			t.Errorf("%s: %d labels in %d lines", file, len(known), lines)
		}
		for _, p := range known {
			if !slices.Contains([]string{"same", "version", "part", "facts", "other", "unsure"}, p.Label) || p.Set+".jsonl" != filepath.Base(file) {
				t.Errorf("%s: %+v", file, p)
			}
		}
	}
}
