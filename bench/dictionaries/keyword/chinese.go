package main

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/feature/keyword"
)

// chinese converts jieba's idf.txt to a table file.
func chinese(text string) ([]byte, error) {
	values := map[string]int64{}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		word, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		x, ok := new(big.Rat).SetString(number)
		if !ok {
			return nil, fmt.Errorf("idf.txt: line %d: %q is not a number", n+1, number)
		}
		x.Mul(x, big.NewRat(keyword.Unit, 1))
		if !x.IsInt() {
			return nil, fmt.Errorf("idf.txt: line %d: %s has too many decimals", n+1, number)
		}
		values[word] = x.Num().Int64()
	}
	return keyword.EncodeValues(values)
}

// stopWords returns the stop words: frequent words in those classes of jieba's dictionary that carry no topic, and the
// English list.
func stopWords(dict string) string {
	least := map[string]int{
		"c": 1000, "p": 1000, "r": 1000, "rz": 1000, "y": 1000, "e": 1000,
		"u": 1000, "ud": 1000, "ug": 1000, "uj": 1000, "ul": 1000, "uv": 1000, "uz": 1000,
		"d": 3000,
	}
	var words []string
	for _, line := range strings.Split(strings.TrimSpace(dict), "\n") {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		freq, err := strconv.Atoi(fields[1])
		if l, ok := least[fields[2]]; err == nil && ok && freq >= l {
			words = append(words, fields[0])
		}
	}
	slices.Sort(words)
	en := strings.Fields(englishStopWords)
	slices.Sort(en)
	return "# Chinese: function words of jieba 0.42.1's dictionary (MIT), see NOTICE\n" +
		strings.Join(slices.Compact(words), "\n") +
		"\n# English: function words (Apache-2.0, this project)\n" +
		strings.Join(slices.Compact(en), "\n") + "\n"
}
