package segment

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func defaultSegmenter(tb testing.TB) *Segmenter {
	tb.Helper()
	g, err := Default()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// small returns a dictionary of few words that overlap a lot.
func small(tb testing.TB) *Segmenter {
	tb.Helper()
	g, err := newOwn("一 50\n一二 9\n一二三 2\n二 3\n二三 7\n三四 4\n四 1\n四一 5\n三 0\n一二三四五 1\na 2\nab 1\n")
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// anyText draws text of the characters that matter.
func anyText() *rapid.Generator[string] {
	return rapid.StringOf(rapid.SampledFrom([]rune("一二三四五a1b.%-| \r\n中国人民的😀\u4dff\u4e00\u9fd5\u9fd6é")))
}

func TestWordsTogetherAreTheText(t *testing.T) {
	segmenters := []*Segmenter{defaultSegmenter(t), small(t)}
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text") + string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes"))
		for _, g := range segmenters {
			for _, mode := range []Mode{Dictionary, HMM} {
				words := g.Cut([]string{"before"}, text, mode)
				if words[0] != "before" || strings.Join(words[1:], "") != text || slices.Contains(words, "") {
					t.Fatalf("%q was cut into %q", text, words)
				}
			}
		}
	})
}

// plain cuts a run of Chinese characters from the definition: of all cuts the
// one of greatest probability, and of several the one whose first word is
// longest, then the second ... All cuts are tried.
func plain(t *trie, s string) (words []string, best int64) {
	if s == "" {
		return nil, 0
	}
	best = math.MinInt64
	for n := 3; n <= len(s); n += 3 {
		i, _ := t.find(s[:n])
		if i == 0 && (n > 3 || startsWord(t, s)) {
			continue
		}
		rest, v := plain(t, s[n:])
		v += t.costs[i]
		if v >= best {
			words, best = append([]string{s[:n]}, rest...), v
		}
	}
	return words, best
}

// startsWord reports whether any dictionary word is a prefix of s. If so, a character that is not a word does
// not stand alone.
func startsWord(t *trie, s string) bool {
	for n := 3; n <= len(s); n += 3 {
		if t.has(s[:n]) {
			return true
		}
	}
	return false
}

func TestCutIsTheBestOfAllCuts(t *testing.T) {
	g := small(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("一二三四五六")), 0, 10, -1).Draw(t, "text")
		want, _ := plain(&g.trie, text)
		if got := g.Cut(nil, text, Dictionary); !slices.Equal(got, want) {
			t.Fatalf("%s: got %q, want %q", text, got, want)
		}
	})
}

// If two cuts are equally probable, jieba depends on the rounding of its floating sums. Here the longer next
// word wins, for every length.
func TestEqualPathsTakeTheLongerWordFirst(t *testing.T) {
	g := defaultSegmenter(t)
	for text, want := range map[string]string{
		"人人人":   "人人/人",
		"豪豪豪豪豪": "豪豪/豪豪豪",
	} {
		if got := strings.Join(g.Cut(nil, text, HMM), "/"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A stretch long enough that the sums would leave an int64 without rebasing.
func TestALongStretchDoesNotOverflow(t *testing.T) {
	g, err := newOwn("一一 1\n一 1\n二 60000000000\n三 60000000000\n")
	if err != nil {
		t.Fatal(err)
	}
	n := 400_000
	words := g.Cut(nil, strings.Repeat("一", 2*n), Dictionary)
	if len(words) != n {
		t.Errorf("%d words, want %d", len(words), n)
	}
}

func TestOwnWords(t *testing.T) {
	for _, c := range []struct{ words, text, want string }{
		{"", "去重系统", "去/重/系统"},
		{"去重", "去重系统", "去重/系统"},
		{"去重 99\n", "去重系统", "去重/系统"},
		{"\ufeff去重 n\r\n", "去重系统", "去重/系统"},
		{"系统 0", "去重系统", "去/重/系/统"},
		{"a b 3 n", "a b", "a/ /b"}, // a space is in no word
		{"系统学 9", "去系统学", "去/系统学"},  // no built-in word goes on after 系统
		{"去重系统 1000000\n去重系统 0", "去重系统", "去/重/系统"},
	} {
		g, err := newOwn("去 400\n重 300\n系统 900\n系 20\n统 10\n", strings.NewReader(c.words))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(g.Cut(nil, c.text, Dictionary), "/"); got != c.want {
			t.Errorf("with %q: %s, want %s", c.words, got, c.want)
		}
	}
}

// TestOwnWordsAreLikeBuiltInOnes: a text is cut as with a dictionary that is built of all words.
func TestOwnWordsAreLikeBuiltInOnes(t *testing.T) {
	few := rapid.StringOfN(rapid.SampledFrom([]rune("一二三四a ")), 0, 3, -1)
	word := rapid.StringOfN(rapid.SampledFrom([]rune("一二三")), 1, 5, -1)
	frequency := rapid.SampledFrom([]string{"", " 0", " 1", " 40", " 9000"})
	const dict = "一 50\n一二 9\n一二三 2\n二 3\n二三 7\n四一 5\n三 0\n一二三四五 1\na 2\nab 1\n"
	rapid.Check(t, func(t *rapid.T) {
		words, text := "", ""
		for range rapid.IntRange(1, 6).Draw(t, "words") {
			own := word.Draw(t, "word") + few.Draw(t, "end")
			words += own + frequency.Draw(t, "frequency") + "\n"
			text += own + few.Draw(t, "text")
		}
		g, err := newOwn(dict, strings.NewReader(words))
		if err != nil {
			t.Fatal(err)
		}
		d, err := readDictionary(strings.NewReader(dict))
		if err != nil {
			t.Fatal(err)
		}
		for word, freq := range g.own.freq {
			d.entries = append(d.entries, entry{word, freq})
		}
		d.total = g.own.total
		d.sort()
		all, err := newTrie(d)
		if err != nil {
			t.Fatal(err)
		}
		built := &Segmenter{trie: all, model: g.model, own: overlay{forced: g.own.forced}}
		for _, mode := range []Mode{Dictionary, HMM} {
			if got, want := g.Cut(nil, text, mode), built.Cut(nil, text, mode); !slices.Equal(got, want) {
				t.Fatalf("%q with %q: %q, want %q", text, words, got, want)
			}
		}
	})
}

func TestErrorsNameLineAndReason(t *testing.T) {
	for _, c := range []struct {
		words io.Reader
		want  string
	}{
		{strings.NewReader("一 x y\na 99999999999999999999\n"), `words:2: frequency "99999999999999999999": not a whole number`},
		{strings.NewReader("\n\n一 99999999999999\n"), "words:3"},
		{strings.NewReader("a\xff\n"), "words:1: not UTF-8"},
		{iotest.ErrReader(errors.New("disk gone")), "disk gone"},
	} {
		_, err := newOwn("一 50\n", c.words)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

func TestSegmenterIsSafeForConcurrentUse(t *testing.T) {
	g := defaultSegmenter(t)
	cases := readGolden(t).Cases
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 20 {
				for _, c := range cases {
					if got := g.Cut(nil, c.Text, HMM); !slices.Equal(got, c.HMM) {
						t.Errorf("%q: %q", c.Text, got)
					}
				}
			}
		})
	}
	wait.Wait()
}

// The pool of cutters may lose some, so a few allocations a text are no fault;
// one a word would be.
func TestCutAllocatesNothingForAWord(t *testing.T) {
	g := defaultSegmenter(t)
	text := strings.Repeat("小明硕士毕业于中国科学院计算所，后在日本京都大学深造", 20)
	words := g.Cut(nil, text, HMM)
	allocs := testing.AllocsPerRun(100, func() { words = g.Cut(words[:0], text, HMM) })
	if allocs > float64(len(words)/20) {
		t.Errorf("%v allocations for %d words", allocs, len(words))
	}
}

func FuzzCut(f *testing.F) {
	f.Add("小明硕士毕业于中国科学院计算所, 3.5%ABC\r\n\xe4\xb8")
	g, own := defaultSegmenter(f), small(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, mode := range []Mode{Dictionary, HMM} {
			if got := g.Cut(nil, text, mode); strings.Join(got, "") != text {
				t.Fatalf("%q: %q", text, got)
			}
			if got := own.Cut(nil, text, mode); strings.Join(got, "") != text {
				t.Fatalf("%q: %q", text, got)
			}
		}
	})
}

func FuzzOwnWords(f *testing.F) {
	f.Add("去重 3 n\n系统\na b\n", "去重系统")
	f.Fuzz(func(t *testing.T, words, text string) {
		g, err := newOwn("一 50\n一二 9\n二三 7\n", strings.NewReader(words))
		if err != nil {
			return
		}
		got := g.Cut(nil, text, HMM)
		if strings.Join(got, "") != text || (utf8.ValidString(text) && !utf8.ValidString(strings.Join(got, "|"))) {
			t.Fatalf("%q: %q", text, got)
		}
	})
}

func ExampleSegmenter_Cut() {
	g, err := Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "他来到了网易杭研大厦"
	fmt.Println(strings.Join(g.Cut(nil, text, Dictionary), " "))
	fmt.Println(strings.Join(g.Cut(nil, text, HMM), " "))
	// Output:
	// 他 来到 了 网易 杭 研 大厦
	// 他 来到 了 网易 杭研 大厦
}

func ExampleNew() {
	g, err := New(strings.NewReader("去重系统 5 n\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(g.Cut(nil, "海量文本去重系统", Dictionary), " "))
	// Output: 海量 文本 去重系统
}
