//go:build full

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// Notes come back by the index of their item, whatever the order of the pages,
// and items without a document keep their places.
func TestNotes(t *testing.T) {
	files := external.NewFiles(t.TempDir())
	defer files.Close()
	n := newNotes(files, true)
	doc := func(i int) *neardup.Document {
		if i%5 == 2 {
			return nil
		}
		return &neardup.Document{Title: fmt.Sprint("t", i), URL: strings.Repeat("u", i), Text: strings.Repeat("中\n", i)}
	}
	const pages, size = 7, 40
	for k := range pages {
		first := (pages - 1 - k) * size
		var kept []note
		for i := first; i < first+size; i++ {
			kept = append(kept, n.noteOf(doc(i)))
		}
		n.put(first, kept)
	}
	for i := range pages * size {
		want := doc(i)
		if want == nil {
			continue
		}
		got, err := n.of(i)
		text := strings.TrimSpace(strings.Repeat("中 ", min(i, 150)))
		if i > 150 {
			text += " "
		}
		if err != nil || got.Title != want.Title || got.URL != want.URL || strings.TrimSuffix(got.Text, "…") != text {
			t.Fatalf("item %d: %+v, %v", i, got, err)
		}
	}
}

func TestOpening(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "abc": "abc", "a\n\t b": "a b", "abcdef": "abcd…", "中国人民共": "中国人民…", "a          b": "a…", "a\xffb": "a\uFFFDb",
	} {
		if got := opening(s, 4); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
