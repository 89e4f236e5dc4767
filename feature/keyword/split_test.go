package keyword

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// splitByRune implements Splitter.Append by definition.
func splitByRune(g *segment.Segmenter, clean string) (words []string) {
	isNone := func(r rune) bool {
		return r == utf8.RuneError || (r != '_' && !unicode.Is(unicode.Han, r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r))
	}
	for _, run := range strings.FieldsFunc(clean, isNone) {
		cut := []string{run}
		if strings.ContainsFunc(run, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			cut = g.Cut(nil, run, segment.HMM)
		}
		for _, w := range cut {
			words = append(words, strings.ToLower(w))
		}
	}
	return words
}

// FuzzSplitter: words are as defined, whatever the bytes.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{
		"", "a", "Ab_1 c-D", "海量网络Text去重", "谷歌,每天。ABC海", "İstanbul ÉCOLE straße", "a\xffb\xe4海\xe5\xbf", "㐀䶵一鿿豈𠀀々〇", "é́x ١٢٣ ⅷ", "\xe5\x8f\x20\xe6", "鿕鿖鿠", "ǅ Ა ꓄ Ａ",
	} {
		f.Add(s)
	}
	g, err := segment.Default()
	if err != nil {
		f.Fatal(err)
	}
	s := NewSplitter(g, segment.HMM)
	f.Fuzz(func(t *testing.T, text string) {
		got, want := s.Append(nil, text), splitByRune(g, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

// TestExtractorAgainstSorting: keywords are the first of all words by score and word, for tables with a bound and without.
func TestExtractorAgainstSorting(t *testing.T) {
	words, err := DefaultSplitter()
	if err != nil {
		t.Fatal(err)
	}
	table, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	stop := NewStopWords("word3", "word17", "文本")
	r := rand.New(rand.NewPCG(1, 2))
	for _, idf := range []IDF{table, ByScript{Chinese: table, Other: table}} {
		for range 300 {
			var text strings.Builder
			for range r.IntN(400) {
				switch k := r.IntN(1 + r.IntN(60)); k % 4 {
				case 0:
					fmt.Fprintf(&text, "word%d ", k)
				case 1:
					text.WriteString([]string{"海量", "网络", "文本", "去重", "系统", "x", "的"}[k%7])
				default:
					text.WriteString(string([]rune{rune(0x4E00 + r.IntN(60)*k), rune(0x4E00 + 7*k)}) + "，")
				}
			}
			for _, n := range []int{0, 1, 3, 20, 1000} {
				e := NewExtractor(words, idf, stop, n)
				got := e.Append(e.Append(nil, "another text")[:0], text.String())
				want := keywordsBySorting(words.Append(nil, text.String()), idf, stop, n)
				if !slices.Equal(got, want) {
					t.Fatalf("%q, %d:\ngot  %v\nwant %v", text.String(), n, got, want)
				}
			}
		}
	}
}

func keywordsBySorting(tokens []string, idf IDF, stop *StopWords, n int) (found []Keyword) {
	counts := map[string]int{}
	for _, w := range tokens {
		counts[w]++
	}
	for w, c := range counts {
		if score := int64(c) * idf.IDF(w); utf8.RuneCountInString(w) > 1 && !stop.Has(w) && score > 0 {
			found = append(found, Keyword{Word: w, Count: c, Score: score})
		}
	}
	slices.SortFunc(found, Keyword.compare)
	found = found[:min(n, len(found))]
	weigh(found)
	return found
}

// even gives every word one IDF.
type even struct{ bound int64 }

func (even) IDF(string) int64 { return 5 }
func (even) Digest() string   { return "even" }
func (f even) Most() int64    { return f.bound }
func (even) look(words []counted) {
	for i := range words {
		words[i].idf = 5
	}
}

// TestMost: the bound of a table is the greatest IDF that it gives, and a word that reaches it is looked up.
func TestMost(t *testing.T) {
	words, err := DefaultSplitter()
	if err != nil {
		t.Fatal(err)
	}
	if got := NewExtractor(words, even{5}, nil, 1).Append(nil, "bb cc aa"); len(got) != 1 || got[0].Word != "aa" {
		t.Errorf("of equal words the first by name: %v", got)
	}
	chinese, err := Chinese()
	if err != nil {
		t.Fatal(err)
	}
	most := chinese.IDF("a word that no table has")
	for i := range chinese.Len() {
		most = max(most, chinese.IDF(chinese.word(i)))
	}
	if got := chinese.Most(); got != most {
		t.Errorf("the greatest of the table is %d, want %d", got, most)
	}
	for want, by := range map[int64]ByScript{most: {chinese, even{5}}, most + 1: {even{most + 1}, chinese}} {
		if got := by.Most(); got != want {
			t.Errorf("the greatest of both is %d, want %d", got, want)
		}
	}
}
