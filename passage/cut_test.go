package passage

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

// shown returns a text with what is cut in [] and what is repeated and stays in <>.
func shown(t *testing.T, whole Border, s string, spans ...Span) string {
	t.Helper()
	c, err := NewCutter(whole)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := 0
	for _, p := range c.Parts(s, spans) {
		open, end := "[", "]"
		if p.Stays != "" {
			open, end = "<", ">"
		}
		b.WriteString(s[at:p.Start] + open + s[p.Start:p.End] + end)
		at = p.End
		next := p.Start
		for _, span := range p.Spans {
			if span.Byte != next || span.Rune != RuneStarts(s[:next]) || span.From.Byte-span.Byte != 7 || span.FromLen != span.Len || span.FromRunes(s) != span.Runes(s) || span.Runes(s) != RuneStarts(s[next:next+span.Len]) {
				t.Errorf("%q: %+v is not where it should be", s, span)
			}
			next += span.Len
		}
		if next != p.End {
			t.Errorf("%q: the spans of %q end at %d", s, s[p.Start:p.End], next)
		}
	}
	return b.String() + s[at:]
}

func TestParts(t *testing.T) {
	tests := []struct {
		name     string
		whole    Border
		repeated string // between | and |
		want     string
	}{
		{"a word stays whole", WholeWords, "a fo|x jumps over the la|zy dog", "a fo<x >[jumps over the ]<la>zy dog"},
		{"an apostrophe is within a word", WholeWords, "they don|'t see it|", "they don<'t >[see it]"},
		{"Chinese words", WholeWords, "他来到北|京天安门，好|", "他来到北<京>[天安门，好]"},
		{"a mark belongs to its letter", WholeWords, "e|\u0301 x|", "e<\u0301 >[x]"},
		{"Chinese beside Latin", WholeWords, "用|Go写|的", "用[Go写]的"},
		{"words are not glued", WholeWords, "the fox|, that jumps, |lazy", "the fox[, that jumps,] lazy"},
		{"a rune stays whole", WholeWords, "汉\xe5|\xad\x97, here|", "汉字[, here]"},
		{"sentences", WholeSentences, "One. Tw|o is long. Three. Fo|ur.", "One. Tw<o is long. >[Three. ]<Fo>ur."},
		{"Chinese sentences", WholeSentences, "一句。|两句。三|句。", "一句。[两句。]<三>句。"},
		{"no whole sentence", WholeSentences, "One |of these.| Two.", "One <of these.> Two."},
		{"lines", WholeLines, "a. |b.\nc. d.\ne|.\n", "a. <b.\n>[c. d.\n]<e>.\n"},
		{"paragraphs", WholeParagraphs, "a|.\nb.\n\nc.\nd.\n \ne.\n|f.", "a<.\nb.\n\n>[c.\nd.\n \n]<e.\n>f."},
		{"a heading with text", WholeLines, "Title\n\n|Repeated text.\n|\nOwn text, which is here.", "Title\n\n[Repeated text.\n]\nOwn text, which is here."},
		{"a heading without text", WholeLines, "Title\n\n|Repeated text.|\n\n# Next\n\nOwn.", "Title\n\n<Repeated text.>\n\n# Next\n\nOwn."},
		{"a heading at the end", WholeSentences, "Own.\n\n## Title\n|Repeated text.|", "Own.\n\n## Title\n<Repeated text.>"},
		{"a heading that is repeated, too", WholeLines, "Own.\n\n|Title\n\nRepeated text.|", "Own.\n\n[Title\n\nRepeated text.]"},
		{"a semicolon is within a sentence", WholeSentences, "一则；|二则；三则。四则；五则。六|则。", "一则；<二则；三则。>[四则；五则。]<六>则。"},
		{"what a colon announces", WholeSentences, "Run this:\n\n|  go test.\n\n|Own.", "Run this:\n\n  <go test.\n\n>Own."},
		{"a heading of which the end is repeated", WholeSentences, "Own.\n\n# A tit|le\n\nRepeated text.|\n\n# Next\n\nOwn.", "Own.\n\n# A tit<le\n\n><Repeated text.>\n\n# Next\n\nOwn."},
		{"all lines under a heading", WholeLines, "# A\n|One here.|\n\n|Two here.|\n# B\nOwn.", "# A\n<One here.>\n\n<Two here.>\n# B\nOwn."},
		{"some lines under a heading", WholeLines, "# A\n|One here.|\nOwn.\n|Two here.|\n# B\nOwn.", "# A\n[One here.]\nOwn.\n[Two here.]\n# B\nOwn."},
		{"a lower heading is its text", WholeLines, "# A\n\n|One here.|\n\n## A.1\nOwn.", "# A\n\n[One here.]\n\n## A.1\nOwn."},
		{"a heading as high is not", WholeLines, "## A\n\n|One here.|\n\n## B\nOwn.", "## A\n\n<One here.>\n\n## B\nOwn."},
		{"an underlined heading", WholeLines, "Own.\nThe title.\n---\n|One here.|\n\nNext, too.\n===\nOwn.", "Own.\nThe title.\n---\n<One here.>\n\nNext, too.\n===\nOwn."},
		{"a lower underlined heading", WholeLines, "# A\n|One here.|\n\nNext, too.\n---\nOwn.", "# A\n[One here.]\n\nNext, too.\n---\nOwn."},
		{"a rule is no heading", WholeLines, "Own.\n\n---\n|One here.|\n\n# Next\nOwn.", "Own.\n\n---\n[One here.]\n\n# Next\nOwn."},
		{"a line is no heading", WholeLines, "This ends like a sentence.\n\n|Repeated text.|", "This ends like a sentence.\n\n[Repeated text.]"},
	}
	for _, test := range tests {
		marks := strings.Split(test.repeated, "|")
		s := strings.Join(marks, "")
		from := func(p Position) Position { return Position{Item: 1, Byte: p.Byte + 7, Rune: p.Rune + 7} }
		var spans []Span
		at := Position{}
		for i, part := range marks {
			half := len(part) / 2 // the spans of one part may be many
			for _, part := range []string{part[:half], part[half:]} {
				if i%2 == 1 {
					spans = append(spans, Span{Position: at, Len: len(part), From: from(at), FromLen: len(part)})
				}
				at.Byte, at.Rune = at.Byte+len(part), at.Rune+RuneStarts(part)
			}
		}
		if got := shown(t, test.whole, s, spans...); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Ten thousand cuts of Chinese texts, between any two bytes, never split a rune or a word. Words are those of
// the whole run of characters around the cut.
func TestCutsLeaveWordsWhole(t *testing.T) {
	c, err := NewCutter(WholeWords)
	if err != nil {
		t.Fatal(err)
	}
	words, err := segment.Default()
	if err != nil {
		t.Fatal(err)
	}
	r, cuts, within := rand.New(rand.NewPCG(4, 2)), 0, 0
	for _, set := range []string{"zh_lctt_proofread", "zh_tidb_docs_versions", "zh_laws"} {
		texts := realTexts(t, set, 300_000)
		for range 3400 {
			s := texts[r.IntN(len(texts))]
			if len(s) < 700 {
				continue
			}
			start := r.IntN(len(s) - 600)
			span := Span{Position: Position{Byte: start}, Len: 200 + r.IntN(400), From: Position{Item: 1}}
			for _, p := range c.Parts(s, []Span{span}) {
				if p.Stays != "" {
					within++
					continue
				}
				cuts++
				for _, at := range []int{p.Start, p.End} {
					if at > 0 && at < len(s) && throughWord(words, s, at) {
						t.Fatalf("%s: %q | %q goes through a word", set, s[max(at-60, 0):at], s[at:min(at+60, len(s))])
					}
				}
			}
		}
	}
	if cuts < 10_000 || within < 1000 {
		t.Errorf("only %d cuts, and %d parts of words that stay", cuts, within)
	}
}

// throughWord reports whether a place is inside a rune, a word of letters, or a Chinese word.
func throughWord(words *segment.Segmenter, s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	han := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	switch {
	case !utf8.RuneStart(s[at]):
		return true
	case !text.IsWord(before) || !text.IsWord(after) || text.IsCJK(before) != text.IsCJK(after):
		return false
	case !han(before) || !han(after):
		return true
	}
	start, end := at, at+strings.IndexFunc(s[at:]+" ", func(r rune) bool { return !han(r) })
	for start > 0 && han(before) {
		start -= utf8.RuneLen(before)
		before, _ = utf8.DecodeLastRuneInString(s[:start])
	}
	for _, w := range words.Cut(nil, s[start:end], segment.HMM) {
		start += len(w)
		if start >= at {
			break
		}
	}
	return start != at
}

// Spans that touch are cut as one, those with a byte between them one by one. A span continues with a match
// that overlaps or touches it and has the same distance to its source.
func TestSpansThatTouch(t *testing.T) {
	const s = "abcdefgh"
	span := func(at, n int) Span { return Span{Position: Position{Byte: at}, Len: n} }
	for _, test := range []struct {
		name  string
		spans []Span
		want  int
	}{
		{"touch", []Span{span(0, 3), span(3, 3)}, 1},
		{"three touch", []Span{span(0, 3), span(3, 3), span(6, 2)}, 1},
		{"a byte between", []Span{span(0, 3), span(4, 3)}, 2},
	} {
		if parts := (&Cutter{}).Parts(s, test.spans); len(parts) != test.want {
			t.Errorf("%s: %d parts, want %d", test.name, len(parts), test.want)
		}
	}
	m := match{at: 10, end: 20, from: 110}
	for _, test := range []struct {
		name string
		next match
		want bool
	}{
		{"overlaps", match{15, 25, 115}, true},
		{"touches", match{20, 30, 120}, true},
		{"a byte between", match{21, 31, 121}, false},
		{"another source", match{15, 25, 116}, false},
	} {
		if got := m.follows(test.next); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
