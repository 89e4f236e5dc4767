package keyword

import (
	"slices"
	"strings"
)

// Levels appends the different words of a text to dst, sorted, with weights from 1 to n by frequency. If the most frequent
// word occurs top times, a word that occurs c times has the weight
//
//	1 + (n-1)*(c-1)/(top-1), rounded down, and 1 if top is 1.
//
// So a word that occurs once has 1 and the most frequent one n; five levels are usual. Stop words are omitted; stop may be
// nil. Score equals the weight. n must be at least 1. Levels reorders tokens.
func Levels(dst []Keyword, tokens []string, stop *StopWords, n int) []Keyword {
	slices.SortFunc(tokens, strings.Compare)
	from, top := len(dst), 1
	for i := 0; i < len(tokens); {
		j := i + 1
		for j < len(tokens) && tokens[j] == tokens[i] {
			j++
		}
		if !stop.Has(tokens[i]) {
			dst = append(dst, Keyword{Word: tokens[i], Count: j - i})
			top = max(top, j-i)
		}
		i = j
	}
	for i := range dst[from:] {
		k := &dst[from+i]
		k.Weight = 1
		if top > 1 {
			k.Weight += int64(max(n, 1)-1) * int64(k.Count-1) / int64(top-1)
		}
		k.Score = k.Weight
	}
	return dst
}
