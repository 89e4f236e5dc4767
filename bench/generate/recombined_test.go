package generate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/bench/generate"
)

var realSentences = []string{
	"the old bridge over the river was closed on monday morning",
	"the council said that the old bridge needs new stones",
	"a farmer found the silver coins near the old mill",
	"near the old mill a painter has opened a small garden",
	"one two three", // too short
	"the council said that the old bridge needs new stones",
}

// A walk is made of words that follow each other in a real sentence, the copies
// differ from their originals, and the truth names all of them.
func TestWalksAreOfRealPhrases(t *testing.T) {
	w, err := generate.NewWalks(realSentences, generate.Recombined{Seed: 4, Near: 300, Jump: 700})
	if err != nil {
		t.Fatal(err)
	}
	follows := map[string]bool{}
	starts := map[string]bool{}
	for _, s := range realSentences {
		words := strings.Fields(s)
		starts[words[0]] = true
		for i := 1; i < len(words); i++ {
			follows[words[i-1]+" "+words[i]] = true
		}
	}
	var out, truth bytes.Buffer
	const n = 400
	if err := w.WriteJSONL(&out, &truth, n); err != nil {
		t.Fatal(err)
	}
	copies, mixed := 0, 0
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, line := range lines {
		var got struct{ ID, Family, Text string }
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		want := w.Text(i)
		if got.ID != want.ID || got.Family != want.Family || got.Text != want.Text {
			t.Fatalf("line %d is %v, want %v", i, got, want)
		}
		if want.Edit != "" {
			copies++
			line := fmt.Sprintf("%s\t%s\t", want.Family, want.ID)
			if !strings.Contains(truth.String(), line) {
				t.Errorf("%s is not in the truth", want.ID)
			}
			continue
		}
		words := strings.Fields(want.Text)
		for k := 1; k < len(words); k++ {
			if !follows[words[k-1]+" "+words[k]] && !starts[words[k]] {
				t.Fatalf("%q: %q does not follow %q anywhere", want.Text, words[k], words[k-1])
			}
		}
		whole := false
		for _, s := range realSentences {
			whole = whole || strings.HasPrefix(want.Text, s)
		}
		if !whole {
			mixed++
		}
	}
	if copies < n/5 || copies > n/2 || mixed == 0 {
		t.Errorf("%d copies of 300 in 1,000, %d texts of several sentences", copies, mixed)
	}
	if got := strings.Count(truth.String(), "\n"); got != copies+1 {
		t.Errorf("%d lines of truth for %d copies", got, copies)
	}
}

func TestWalksNeedSentences(t *testing.T) {
	if _, err := generate.NewWalks([]string{"too few words"}, generate.Recombined{}); err == nil {
		t.Error("made of nothing")
	}
	if _, err := generate.NewWalks(realSentences, generate.Recombined{Near: 1001}); err == nil {
		t.Error("1,001 of 1,000")
	}
}

func TestPieces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "docs.jsonl")
	const docs = `{"id":"a","text":"We may change these terms of service at any time. Short one.\n\nYou must not copy the software for other people\n\nhi"}
{"id":"b","text":"我们可能会修改这些条款,但会事先告诉您。我们可能会修改这些条款,但会事先告诉您。\n\nYou must not copy the software for other people"}
`
	if err := os.WriteFile(file, []byte(docs), 0o600); err != nil {
		t.Fatal(err)
	}
	sentences, err := generate.Sentences([]string{file})
	want := []string{"We may change these terms of service at any time", "You must not copy the software for other people"}
	if err != nil || strings.Join(sentences, "|") != strings.Join(want, "|") {
		t.Errorf("sentences %q, %v", sentences, err)
	}
	paragraphs, err := generate.Paragraphs([]string{file}, 20, 500, -1)
	if err != nil || len(paragraphs) != 3 || paragraphs[1] != want[1] {
		t.Errorf("paragraphs %q, %v", paragraphs, err)
	}
	paragraphs, _ = generate.Paragraphs([]string{file}, 20, 500, 1)
	if len(paragraphs) != 1 {
		t.Errorf("%d paragraphs, want 1", len(paragraphs))
	}
}

// TestPages makes pages of two languages: copies are equal to their originals, edited ones are not, and the bytes are the
// same each time.
func TestPages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "docs.jsonl")
	const chinese = `{"id":"zh","text":"我们可能会修改这些条款但会事先告诉您。图书馆在星期一对所有读者开放并提供热水。所有读者都可以在星期一借走三本新书。"}`
	docs := fmt.Sprintf("{\"id\":\"en\",\"text\":%q}\n%s\n", strings.Join(realSentences, ". "), chinese)
	if err := os.WriteFile(file, []byte(docs), 0o600); err != nil {
		t.Fatal(err)
	}
	options := generate.Options{Seed: 3, Documents: 300, Median: 400, Sigma: 500, Max: 3000, Copies: 200, Near: 200, Edits: 50}
	pages, err := generate.NewPages([]string{file}, options, 400)
	if err != nil {
		t.Fatal(err)
	}
	equal, edited, han := 0, 0, 0
	for i := range options.Documents {
		d := pages.Document(i)
		if strings.Contains(d.Text, "。") {
			han++
		}
		if d.Family == d.ID {
			continue
		}
		var from int
		if _, err := fmt.Sscanf(d.Family, "g%d", &from); err != nil || from >= i {
			t.Fatalf("%s is of %s", d.ID, d.Family)
		}
		if d.Text == pages.Document(from).Text {
			equal++
		} else {
			edited++
		}
	}
	if equal < 30 || edited < 30 || han < 60 || han > 180 {
		t.Errorf("%d equal and %d edited copies of some 60 each, %d Chinese of some 120", equal, edited, han)
	}
	var out [2]bytes.Buffer
	for i := range out {
		if _, _, err := pages.WriteJSONL(&out[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(out[0].Bytes(), out[1].Bytes()) {
		t.Error("two runs differ")
	}
}
