package keyword

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	_ "embed"
)

// StopWords are words that say nothing about a text. The nil one has none.
type StopWords struct{ words map[string]bool }

// NewStopWords returns the given words, lower-cased.
func NewStopWords(words ...string) *StopWords {
	s := &StopWords{words: make(map[string]bool, len(words))}
	for _, w := range words {
		s.words[strings.ToLower(w)] = true
	}
	return s
}

// ReadStopWords reads one word a line; empty lines and lines that start with
// "# " are skipped.
func ReadStopWords(r io.Reader) (*StopWords, error) {
	var words []string
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("read stop words: line %d: not UTF-8", n)
		}
		if line != "" && line != "#" && !strings.HasPrefix(line, "# ") {
			words = append(words, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read stop words: %w", err)
	}
	return NewStopWords(words...), nil
}

// Has says whether a lower-case word is a stop word.
func (s *StopWords) Has(word string) bool { return s != nil && s.words[word] }

// Len returns the number of stop words.
func (s *StopWords) Len() int {
	if s == nil {
		return 0
	}
	return len(s.words)
}

//go:embed data/stop.txt
var stopData string

// BuiltInStopWords returns the Chinese and English stop words that come with
// the package; data/NOTICE says where they are from.
func BuiltInStopWords() (*StopWords, error) { return stopOnce() }

var stopOnce = sync.OnceValues(func() (*StopWords, error) {
	return ReadStopWords(strings.NewReader(stopData))
})
