package keyword

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/text/segment"
)

func splitter(tb testing.TB) Splitter {
	tb.Helper()
	s, err := DefaultSplitter()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestSplitterGivesWords(t *testing.T) {
	s := splitter(t)
	for text, want := range map[string]string{
		"":                   "",
		" ,. -- ":            "",
		"Hello, WORLD":       "hello|world",
		"naïve café_au-lait": "naïve|café_au|lait",
		"使用Python3编程，很快":     "使用|python3|编程|很快",
		"我来到北京清华大学":          "我|来到|北京|清华大学",
		"ひらがな 한국어":           "ひらがな|한국어",
		"a\xffb":             "a|b",
		"ÉCOLE ＡＢＣ B超 ΑΒΓ":   "école|ａｂｃ|b超|αβγ",
		"100% of 3.14":       "100|of|3|14",
	} {
		if got := strings.Join(s.Append(nil, text), "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestLevelsFollowTheRule(t *testing.T) {
	for _, c := range []struct {
		text, want string
		n          int
	}{
		{"", "", 5},
		{"one two", "one 1|two 1", 5},
		{"b a a a a a c c c", "a 5|b 1|c 3", 5},
		{"a a a a a a a a a a b b b", "a 5|b 1", 5},
		{"a a b", "a 1|b 1", 1},
		{"a a a b b c", "a 3|b 2|c 1", 3},
		{"the cat the cat", "cat 5", 5},
	} {
		var got []string
		for _, k := range Levels(nil, splitter(t).Append(nil, c.text), NewStopWords("The"), c.n) {
			got = append(got, fmt.Sprint(k.Word, " ", k.Weight))
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q in %d levels: %s, want %s", c.text, c.n, s, c.want)
		}
	}
}

// flat is an IDF for tests: 2 for words that begin with r, 0 with z, otherwise 1.
type flat struct{}

func (flat) Digest() string { return "flat" }
func (flat) Most() int64    { return 2 * Unit }
func (f flat) look(words []counted) {
	for i := range words {
		words[i].idf = f.IDF(words[i].word)
	}
}

func (flat) IDF(word string) int64 {
	switch word[0] {
	case 'r':
		return 2 * Unit
	case 'z':
		return 0
	}
	return Unit
}

func TestExtractorTakesTheHeaviest(t *testing.T) {
	e := NewExtractor(splitter(t), flat{}, NewStopWords("the"), 3)
	for text, want := range map[string]string{
		"":                                 "",
		"the the the x z1 z2":              "",
		"bb aa cc dd":                      "aa 255|bb 255|cc 255",
		"bb bb bb rr aa":                   "bb 255|rr 170|aa 85",
		"rare RARE Rare bb aa aa the":      "rare 255|aa 85|bb 43",
		strings.Repeat("aa ", 1000) + "bb": "aa 255|bb 1",
	} {
		var got []string
		for _, k := range e.Append(nil, text) {
			got = append(got, fmt.Sprint(k.Word, " ", k.Weight))
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}

func TestExtractorDoesNotDependOnWhatItDidBefore(t *testing.T) {
	e, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom(strings.Fields(
			"中国 人民 网络 文本 去重 privacy account service free text call 科学院 系统 算法"))).Draw(t, "words")
		text := strings.Join(words, " ")
		a, b := e.Append(nil, text), e.Append([]Keyword{{Word: "first"}}, text)[1:]
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%v, then %v", a, b)
		}
		for i, k := range a {
			if k.Weight < 1 || k.Weight > MaxWeight || (i > 0 && k.Score > a[i-1].Score) {
				t.Fatalf("out of order or range: %v", a)
			}
		}
	})
}

func TestScoresDoNotOverflow(t *testing.T) {
	if got := times(math.MaxInt32, math.MaxInt64/2); got != math.MaxInt64 {
		t.Errorf("times = %d", got)
	}
	words := []Keyword{{Score: math.MaxInt64}, {Score: math.MaxInt64 / 2}, {Score: 1}}
	weigh(words)
	if words[0].Weight != 255 || words[1].Weight != 128 || words[2].Weight != 1 {
		t.Errorf("weights %v", words)
	}
}

func TestStopWords(t *testing.T) {
	stop, err := BuiltInStopWords()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"the", "的", "我们", "because", "因为"} {
		if !stop.Has(w) {
			t.Errorf("%s is no stop word", w)
		}
	}
	for _, w := range []string{"simhash", "北京", "#", ""} {
		if stop.Has(w) {
			t.Errorf("%s is a stop word", w)
		}
	}
	if own, err := ReadStopWords(strings.NewReader("\ufeffder\r\n\r\ndie\r\n")); err != nil || !own.Has("der") || !own.Has("die") || len(own.words) != 2 {
		t.Errorf("stop words from Windows: %v, %v", own, err)
	}
	if _, err := ReadStopWords(strings.NewReader("a\n\xff\n")); err == nil || !strings.Contains(err.Error(), "stop words:2: not UTF-8") {
		t.Errorf("error %v does not name line 2", err)
	}
	if none := (*StopWords)(nil); none.Has("the") {
		t.Error("the nil list stops something")
	}
}

func ExampleExtractor_Append() {
	e, err := Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range e.Append(nil, "海量网络文本去重系统实验测试，这是一段测试文本的内容。")[:3] {
		fmt.Println(k.Word, k.Count, k.Weight)
	}
	// Output:
	// 文本 2 255
	// 测试 2 204
	// 海量 1 142
}

func ExampleLevels() {
	g, err := segment.Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range Levels(nil, NewSplitter(g, segment.Dictionary).Append(nil, "文本去重：文本 文本 测试 测试"), nil, 5) {
		fmt.Println(k.Word, k.Weight)
	}
	// Output:
	// 去 1
	// 文本 5
	// 测试 3
	// 重 1
}
