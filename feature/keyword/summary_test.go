package keyword_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/feature/keyword"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"one. two! three":            {"one.", "two!", "three"},
		"version 1.5 is out. get it": {"version 1.5 is out.", "get it"},
		"他说:“今天。”然后走了。完":             {"他说:“今天。”", "然后走了。", "完"},
		"no end":                       {"no end"},
		" . ":                          {"."},
		"":                             nil,
		"first line\nsecond (so?) end": {"first line", "second (so?)", "end"},
	} {
		if got := keyword.Sentences(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The summary is the choice of n sentences whose keywords score most, and the first of equal ones, by brute
// force over all choices.
func TestSummaryIsTheBestChoice(t *testing.T) {
	extractor, err := keyword.Default()
	if err != nil {
		t.Fatal(err)
	}
	splitter, err := keyword.DefaultSplitter()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	words := strings.Fields("privacy bridge policy garden the of and museum 数据库 城市 音乐 account service storm council delivery")
	const n = 2
	z := keyword.NewSummarizer(extractor, n)
	for range 60 {
		var sentences []string
		for range 1 + rng.IntN(6) {
			var s []string
			for range 1 + rng.IntN(5) {
				s = append(s, words[rng.IntN(len(words))])
			}
			sentences = append(sentences, strings.Join(s, " ")+".")
		}
		text := strings.Join(sentences, " ")
		scores := map[string]int64{}
		for _, k := range extractor.Append(nil, text) {
			scores[k.Word] = k.Score
		}
		best, want := int64(-1), text
		for i := range sentences {
			for j := i + 1; j < len(sentences) && len(sentences) > n; j++ {
				sum := int64(0)
				for _, s := range []string{sentences[i], sentences[j]} {
					different := map[string]bool{}
					for _, w := range splitter.Append(nil, s) {
						different[w] = true
					}
					for w := range different {
						sum += scores[w]
					}
				}
				if sum > best {
					best, want = sum, sentences[i]+" "+sentences[j]
				}
			}
		}
		if got := z.Summary(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
