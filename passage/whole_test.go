package passage

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func TestWholes(t *testing.T) {
	tests := []struct {
		whole Border
		least Length
		text  string // each whole in []
	}{
		{WholeLines, Length{}, " [a b]\n\n[c]\r\n--\n[d]"},
		{WholeLines, Length{4, Runes}, "abc\n[汉字汉字]\n[abcd]"},
		{WholeParagraphs, Length{}, "[a\nb]\n \n\n[c\n --\nd]\n"},
		{WholeParagraphs, Length{}, "\n---\n\n[a]"},
		{WholeSentences, Length{}, "[One.] [Two!] ... [一句。][两句。]\n[Three]"},
		{WholeSentences, Length{4, Words}, "One. [This is a sentence.]"},
		{WholeLines, Length{}, ""},
	}
	for _, test := range tests {
		s := strings.NewReplacer("[", "", "]", "").Replace(test.text)
		var b strings.Builder
		at := 0
		for _, u := range (&job{cfg: Config{Whole: test.whole, Least: test.least}}).wholes(s) {
			b.WriteString(s[at:u[0]] + "[" + s[u[0]:u[1]] + "]")
			at = u[1]
		}
		if got := b.String() + s[at:]; got != test.text {
			t.Errorf("%s of %v: %q, want %q", test.whole, test.least, got, test.text)
		}
	}
}

// coveredWholes returns for each byte whether it is in a sentence, line or paragraph that occurred earlier.
func coveredWholes(texts []string, cfg Config) [][]bool {
	j, seen, marks := job{cfg: cfg}, map[string][]bool{}, make([][]bool, len(texts))
	for d, s := range texts {
		marks[d] = make([]bool, len(s))
		for _, u := range j.wholes(s) {
			own := marks[d][u[0]:u[1]]
			first, again := seen[s[u[0]:u[1]]]
			if !again {
				seen[s[u[0]:u[1]]] = own
				continue
			}
			for i := range own {
				own[i] = true
				first[i] = first[i] || cfg.First
			}
		}
	}
	return marks
}

// Whole units are found where the same have stood before, in any memory.
func TestFindWholes(t *testing.T) {
	memory := lessMemory(t, 1<<16)
	r := rand.New(rand.NewPCG(2, 1))
	for i := range 100 {
		texts := made(r, 1+r.IntN(60), []string{"ab\n", "ab. \n", "汉。字\n", "a\xe6\n\n "}[i%4])
		for _, whole := range []Border{WholeSentences, WholeLines, WholeParagraphs} {
			for _, first := range []bool{false, true} {
				check(t, texts, Config{Whole: whole, First: first, Memory: memory, Workers: 1 + i%3})
			}
		}
	}
	same := check(t, []string{"a\nb. c", "b. c\na\nb."}, Config{Whole: WholeLines, Memory: memory})
	if len(same) != 2 {
		t.Errorf("%d lines", len(same))
	}
}

// The near pairs equal those of batch with all units as documents.
func TestFindNear(t *testing.T) {
	method, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"Please call our customer service about the delivery of your order.\nOwn words of the first document.",
		"The museum opens its garden on Sunday.\nPlease call our customer service about the delivery of your orders!\n\n汉字",
		"  Own words of the first document.\n他来到北京天安门广场，看见了很多很多的游客在那里拍照留念。",
		"他来到北京天安门廣場，看见了很多很多的游客在那里拍照留念！",
	}
	spans := found(t, texts, Config{Whole: WholeLines, Near: method, Clean: text.Default()})
	var lines []string
	for _, s := range texts {
		for _, l := range strings.Split(s, "\n") {
			l = strings.TrimSpace(l)
			if l != "" {
				lines = append(lines, l)
			}
		}
	}
	leaders, err := batch.DedupStrings(context.Background(), lines, batch.Config{Clean: text.Default(), Method: method})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, leader := range leaders {
		if leader == i {
			continue
		}
		if n == len(spans) {
			t.Fatalf("%q is missed", lines[i])
		}
		s := spans[n]
		n++
		here, there := texts[s.Item][s.Byte:s.Byte+s.Len], texts[s.From.Item][s.From.Byte:s.From.Byte+s.FromLen]
		if here != lines[i] || there != lines[leader] || s.Similarity <= .5 || s.FromRunes("") != RuneStarts(there) || s.Rune != RuneStarts(texts[s.Item][:s.Byte]) {
			t.Errorf("%+v: %q from %q, want %q from %q", s, here, there, lines[i], lines[leader])
		}
	}
	if n != 3 || n != len(spans) {
		t.Errorf("%d of %d spans", n, len(spans))
	}
	checkFirst(t, spans, found(t, texts, Config{Whole: WholeLines, Near: method, Clean: text.Default(), First: true}))
}

// checkFirst checks that First adds exactly each leader, with the first of its duplicates.
func checkFirst(t *testing.T, spans, all []Span) {
	t.Helper()
	want := map[Position]Span{}
	for _, s := range spans {
		want[s.Position] = s
		if _, ok := want[s.From]; !ok {
			want[s.From] = Span{s.From, s.FromLen, s.Position, s.Len, s.Similarity, 0}
		}
	}
	for i, s := range all {
		w, ok := want[s.Position]
		if w.fromRunes == 0 { // of a leader
			s.fromRunes = 0
		}
		if !ok || w != s || (i > 0 && (all[i-1].Item > s.Item || (all[i-1].Item == s.Item && all[i-1].Byte >= s.Byte))) {
			t.Errorf("with the first ones: %+v, want %+v, in order", s, w)
		}
		delete(want, s.Position)
	}
	if len(want) > 0 {
		t.Errorf("with the first ones these are missed: %v", want)
	}
}
