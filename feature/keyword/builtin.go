package keyword

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

//go:generate go run -C ../../bench ./dictionaries/keyword -archive jieba-0.42.1.tar.gz
//go:generate go test -run TestChineseTable -update

//go:embed data/idf.en.gz
var englishData string

// Chinese returns jieba's IDF table, which is read at the first call (about .02 s of CPU, 7 MB) and shared.
func Chinese() (*IDFTable, error) { return chineseOnce() }

// English returns a small table trained on terms of service and text messages (data/NOTICE). It is read at the first call
// and shared. For other kinds of texts, train a table.
func English() (*IDFTable, error) { return englishOnce() }

var (
	chineseOnce = sync.OnceValues(readChinese)
	englishOnce = sync.OnceValues(func() (*IDFTable, error) { return ReadIDFTable(strings.NewReader(englishData)) })
)

// readChinese reads data/idf.zh.gz in its compiled form.
func readChinese() (*IDFTable, error) {
	packed, err := dataFile("idf.zh.columns.zst")
	if err != nil {
		return nil, err
	}
	return readCompiled(packed)
}

// firstHan is the first Chinese character: a radical.
const firstHan = 0x2E80

// ByScript looks up words with a Chinese character in one table, and all other words in the other.
type ByScript struct{ Chinese, Other IDF }

// IDF returns the IDF of a word.
func (b ByScript) IDF(word string) int64 {
	if hasHan(word) {
		return b.Chinese.IDF(word)
	}
	return b.Other.IDF(word)
}

func (b ByScript) look(words []counted) {
	n := partition(words, func(c *counted) bool { return hasHan(c.word) })
	b.Chinese.look(words[:n])
	b.Other.look(words[n:])
}

func hasHan(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= firstHan && unicode.Is(unicode.Han, r) })
}

// Most returns the greatest IDF in both tables.
func (b ByScript) Most() int64 { return max(b.Chinese.Most(), b.Other.Most()) }

// Digest joins the digests of both.
func (b ByScript) Digest() string { return b.Chinese.Digest() + "+" + b.Other.Digest() }

// BuiltIn returns the built-in tables, combined by script.
func BuiltIn() (IDF, error) {
	zh, err := Chinese()
	if err != nil {
		return nil, fmt.Errorf("built-in Chinese table: %w", err)
	}
	en, err := English()
	if err != nil {
		return nil, fmt.Errorf("built-in English table: %w", err)
	}
	return ByScript{Chinese: zh, Other: en}, nil
}
