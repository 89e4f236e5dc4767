package passage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
)

// found returns the spans of some texts.
func found(t testing.TB, texts []string, cfg Config) []Span {
	t.Helper()
	docs := make([]neardup.Document, len(texts))
	for i, s := range texts {
		docs[i] = neardup.Document{ID: fmt.Sprint("d", i), Text: s}
	}
	spans, err := Find(context.Background(), func() (batch.Source, error) { return batch.Documents(docs), nil }, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer spans.Close()
	var all []Span
	for {
		s, err := spans.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

// places returns where windows begin and end in a text, from the definition of the unit.
func places(s string, l Length) (all [][2]int) {
	var units [][2]int
	inWord := false
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case l.Unit == Bytes:
			for b := range size {
				units = append(units, [2]int{i + b, i + b + 1})
			}
		case l.Unit == Words && !text.IsWord(r):
			inWord = false
		case inWord && !text.IsCJK(r):
			units[len(units)-1][1] = i + size
		default:
			units = append(units, [2]int{i, i + size})
			inWord = l.Unit == Words && !text.IsCJK(r)
		}
	}
	for i := range max(len(units)-l.N+1, 0) {
		all = append(all, [2]int{units[i][0], units[i+l.N-1][1]})
	}
	return all
}

// covered returns for each byte of each text whether it is in a repeated window. By the definition of the
// package it looks up all windows by their bytes.
func covered(texts []string, l Length, first bool) [][]bool {
	type place struct{ doc, at int }
	windows := map[string][]place{}
	for d, s := range texts {
		for _, p := range places(s, l) {
			w := s[p[0]:p[1]]
			windows[w] = append(windows[w], place{d, p[0]})
		}
	}
	marks := make([][]bool, len(texts))
	for d, s := range texts {
		marks[d] = make([]bool, len(s))
	}
	for w, at := range windows {
		f := at[0]
		apart := func(p place) bool { return p.doc != f.doc || p.at >= f.at+len(w) }
		if !slices.ContainsFunc(at, apart) {
			continue
		}
		for _, p := range at {
			if first || apart(p) {
				for i := range len(w) {
					marks[p.doc][p.at+i] = true
				}
			}
		}
	}
	return marks
}

// check compares what is found with the definition, and looks at the evidence.
func check(t testing.TB, texts []string, cfg Config) []Span {
	t.Helper()
	spans := found(t, texts, cfg)
	var marks [][]bool
	if cfg.Whole == "" {
		marks = covered(texts, cfg.Least, cfg.First)
	} else {
		marks = coveredWholes(texts, cfg)
	}
	last := Position{Item: -1}
	for _, s := range spans {
		if s.Item < last.Item || (s.Item == last.Item && s.Byte < last.Byte) {
			t.Fatalf("%+v comes after what ends at %+v", s, last)
		}
		last = Position{Item: s.Item, Byte: s.Byte + s.Len}
		here, there := texts[s.Item][s.Byte:s.Byte+s.Len], texts[s.From.Item][s.From.Byte:s.From.Byte+s.Len]
		if here != there || s.FromLen != s.Len || s.ID != fmt.Sprint("d", s.Item) || s.From.ID != fmt.Sprint("d", s.From.Item) {
			t.Fatalf("%+v is %q, from %q", s, here, there)
		}
		if s.Rune != RuneStarts(texts[s.Item][:s.Byte]) || s.From.Rune != RuneStarts(texts[s.From.Item][:s.From.Byte]) {
			t.Fatalf("%+v has wrong runes", s)
		}
		first := s.From.Item > s.Item || (s.From.Item == s.Item && s.From.Byte > s.Byte)
		if first && !cfg.First {
			t.Fatalf("%+v comes before what it is from", s)
		}
		for i := range s.Len {
			if !marks[s.Item][s.Byte+i] {
				t.Fatalf("%+v: byte %d is not repeated", s, s.Byte+i)
			}
			marks[s.Item][s.Byte+i] = false
		}
	}
	for d := range marks {
		if i := slices.Index(marks[d], true); i >= 0 {
			t.Fatalf("byte %d of text %d is repeated and was missed", i, d)
		}
	}
	return spans
}

// made returns texts of words of a small alphabet, in which passages recur.
func made(r *rand.Rand, n int, alphabet string) []string {
	letters := strings.Split(alphabet, "")
	var all []string
	for len(all) < n {
		var b strings.Builder
		for b.Len() < r.IntN(400) {
			switch {
			case len(all) == 0 || r.IntN(3) > 0:
				for range r.IntN(40) {
					b.WriteString(letters[r.IntN(len(letters))])
				}
			case r.IntN(4) == 0: // a period
				b.WriteString(strings.Repeat(letters[r.IntN(len(letters))]+letters[r.IntN(len(letters))], r.IntN(40)))
			default:
				old := all[r.IntN(len(all))]
				from := r.IntN(len(old) + 1)
				b.WriteString(old[from : from+r.IntN(len(old)-from+1)]) // also cuts runes
			}
		}
		all = append(all, b.String())
	}
	return all
}

func lessMemory(t testing.TB, memory int64) int64 {
	old := leastMemory
	leastMemory = 0
	t.Cleanup(func() { leastMemory = old })
	return memory
}

// size returns the size of a test; under -short, which the race detector uses, less is enough.
func size(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// Every passage is found and none is invented, for any unit, length and memory.
func TestFindIsExact(t *testing.T) {
	memory := lessMemory(t, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range size(300, 50) {
		texts := made(r, 1+r.IntN(30), []string{"ab", "abc  ", "汉字 a,", "aé\x80\xe6 \n", "the of a, cat-dog 12 \u3000"}[i%5])
		for _, l := range []Length{{4, Bytes}, {20, Bytes}, {7, Runes}, {33, Runes}, {4, Words}, {9, Words}} {
			for _, first := range []bool{false, true} {
				check(t, texts, Config{Least: l, First: first, Memory: memory, Workers: 1 + i%3})
			}
		}
	}
}

// Texts that are hard for an algorithm that pairs all copies, or extends each match separately.
func TestFindIsExactOnHardTexts(t *testing.T) {
	memory := lessMemory(t, 1<<20)
	r := rand.New(rand.NewPCG(3, 4))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		return string(b)
	}
	passage, half := letters(300), letters(120)
	tests := []struct {
		name  string
		texts func() []string
	}{
		{"one letter", func() []string {
			return []string{strings.Repeat("a", 50_000), strings.Repeat("a", 300), "b" + strings.Repeat("a", 250)}
		}},
		{"a period", func() []string {
			return []string{strings.Repeat("abcdefg", 5_000), strings.Repeat("efgabcd", 100), strings.Repeat(letters(230), 40)}
		}},
		{"many copies of a passage", func() (all []string) {
			for range 3000 {
				all = append(all, letters(r.IntN(9))+passage+letters(r.IntN(9)))
			}
			return all
		}},
		{"many copies of half a passage", func() (all []string) {
			for i := range 3000 {
				all = append(all, letters(100)+half+letters(100))
				if i%7 == 0 {
					all = append(all, all[r.IntN(len(all))])
				}
			}
			return all
		}},
		{"borders of documents", func() []string {
			return []string{passage[:150], passage[150:], passage, passage[:199], passage[:200], passage[100:]}
		}},
		{"none", func() []string { return []string{"", "short", letters(1000)} }},
		{"no text at all", func() []string { return nil }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			texts := test.texts()
			for _, first := range []bool{false, true} {
				check(t, texts, Config{Least: Length{200, Bytes}, First: first, Memory: memory, Workers: 2})
			}
		})
	}
}

// Memory and workers change nothing.
func TestFindIsOneAnswer(t *testing.T) {
	lessMemory(t, 0)
	texts := made(rand.New(rand.NewPCG(5, 6)), size(3000, 400), "abc \n汉")
	want := found(t, texts, Config{Least: Length{12, Bytes}, First: true})
	if len(want) < size(1000, 100) {
		t.Fatalf("only %d spans", len(want))
	}
	for _, memory := range []int64{1, 1 << 16, 1 << 20, 1 << 26} {
		for workers := range 4 {
			got := found(t, texts, Config{Least: Length{12, Bytes}, First: true, Memory: memory, Workers: workers})
			if !slices.Equal(got, want) {
				t.Errorf("memory %d, workers %d: other spans", memory, workers)
			}
		}
	}
}

// In another order another copy is the first; what is repeated stays the same.
func TestFindInAnotherOrder(t *testing.T) {
	lessMemory(t, 0)
	r := rand.New(rand.NewPCG(7, 8))
	texts := made(r, 200, "ab 汉")
	marks := func(order []int) [][]bool {
		var some []string
		all := make([][]bool, len(texts))
		for _, i := range order {
			some = append(some, texts[i])
			all[i] = make([]bool, len(texts[i]))
		}
		for _, s := range found(t, some, Config{Least: Length{15, Runes}, First: true}) {
			for i := range s.Len {
				all[order[s.Item]][s.Byte+i] = true
			}
		}
		return all
	}
	order := r.Perm(len(texts))
	want := marks(slices.Sorted(slices.Values(order)))
	for i, got := range marks(order) {
		if !slices.Equal(got, want[i]) {
			t.Errorf("text %d is repeated elsewhere in another order", i)
		}
	}
}

// The same on real texts: terms of service, articles, documentation, statutes, licences.
func TestFindIsExactOnRealTexts(t *testing.T) {
	memory := lessMemory(t, 1<<20)
	for _, name := range []string{"ota_terms_versions", "zh_lctt_proofread", "zh_tidb_docs_versions", "zh_laws", "en_license_texts"} {
		t.Run(name, func(t *testing.T) {
			texts := realTexts(t, name, size(600_000, 100_000))
			for _, l := range []Length{{200, Bytes}, {60, Runes}, {20, Words}} {
				if len(check(t, texts, Config{Least: l, Memory: memory, Workers: 2})) == 0 {
					t.Errorf("nothing of %v is repeated", l)
				}
			}
		})
	}
}

// realTexts returns the first texts of a shared set, about bytes bytes in total.
func realTexts(t *testing.T, set string, bytes int) (texts []string) {
	z := shared.Unpacked(t, set+"/docs.jsonl.zst")
	lines := json.NewDecoder(z)
	for n := 0; n < bytes; n += len(texts[len(texts)-1]) {
		var doc struct{ Text string }
		if err := lines.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, doc.Text)
	}
	return texts
}

// 100,000 copies of a passage are as many spans, each from the first, and a long run of one letter
// as many as its length needs.
func TestFindManyCopies(t *testing.T) {
	memory := lessMemory(t, 8<<20)
	passage := fmt.Sprint(rand.New(rand.NewPCG(9, 9)).Perm(100))
	copies := size(100_000, 10_000)
	spans := found(t, slices.Repeat([]string{passage}, copies), Config{Memory: memory})
	if len(spans) != copies-1 {
		t.Fatalf("%d spans", len(spans))
	}
	for i, s := range spans {
		if s.Item != i+1 || s.Byte != 0 || s.Len != len(passage) || s.From.Item != 0 || s.From.Byte != 0 {
			t.Fatalf("span %d is %+v", i, s)
		}
	}
	letters := found(t, []string{strings.Repeat("a", 1_000_000)}, Config{Memory: memory})
	if len(letters) != 999_800/200 || letters[0].Byte != 200 || letters[0].From.Byte != 0 {
		t.Errorf("%d spans of one letter, the first %+v", len(letters), letters[0])
	}
}

// TestNoSource wants an error, and no panic, where open gives no source.
func TestNoSource(t *testing.T) {
	_, err := Find(t.Context(), func() (batch.Source, error) { return nil, nil }, Config{})
	if err == nil || !strings.Contains(err.Error(), "no source of documents") {
		t.Error(err)
	}
}
