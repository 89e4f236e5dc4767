package keyword

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// Recipe finds keywords exactly like a widespread Python script, so that a database of its fingerprints stays usable:
//
//	jieba.analyse.extract_tags('|'.join(jieba.cut(text)), withWeight=True)
//
// The keywords are sorted by weight, then by word, both descending. The first 20 are used, each with the weight
// int(weight*20). The fingerprint is the SimHash of the string_hash of these words. A text without keywords has none. The
// test has known answers.
type Recipe struct {
	chinese *segment.Segmenter
	idf     *IDFTable
	stop    *StopWords
}

// RecipeKeyword is a keyword with jieba's weight.
type RecipeKeyword struct {
	Word   string
	Weight float64
	Level  int64 // int(Weight*20), the weight in the fingerprint; may be 0
}

// JiebaRecipe returns the recipe with jieba's dictionary, model, IDF table and
// stop words.
func JiebaRecipe() (*Recipe, error) {
	g, err := segment.Default()
	if err != nil {
		return nil, err
	}
	idf, err := Chinese()
	if err != nil {
		return nil, err
	}
	return &Recipe{chinese: g, idf: idf, stop: NewStopWords(jiebaStopWords...)}, nil
}

// jiebaStopWords are the STOP_WORDS of jieba.analyse.
var jiebaStopWords = []string{
	"the", "of", "is", "and", "to", "in", "that", "we", "for", "an", "are",
	"by", "be", "as", "on", "with", "can", "if", "from", "which", "you", "it",
	"this", "then", "at", "have", "all", "not", "one", "has", "or",
}

// Keywords returns the keywords of a text without normalising it.
//
// The floating-point operations are those of jieba, in the same order. idf and count are exact; then follow a division, a
// product, and another product for the level. Each is a single operation of IEEE 754, rounded by its own conversion. No sum
// follows a product, so a processor cannot fuse operations.
func (r *Recipe) Keywords(text string) []RecipeKeyword {
	tokens := r.chinese.Cut(nil, text, segment.HMM)
	tokens = r.chinese.Cut(tokens[:0], strings.Join(tokens, "|"), segment.HMM)
	counts, total := map[string]int{}, 0
	for _, word := range tokens {
		if utf8.RuneCountInString(strings.TrimSpace(word)) < 2 || r.stop.Has(strings.ToLower(word)) {
			continue
		}
		counts[word]++
		total++
	}
	words := make([]RecipeKeyword, 0, len(counts))
	for word, n := range counts { // the order does not matter, because the result is sorted below
		idf := float64(float64(r.idf.IDF(word)) / Unit)
		weight := float64(float64(n) * float64(idf/float64(total)))
		words = append(words, RecipeKeyword{word, weight, int64(float64(weight * 20))})
	}
	slices.SortFunc(words, func(a, b RecipeKeyword) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(b.Word, a.Word))
	})
	return words[:min(len(words), DefaultCount)]
}
