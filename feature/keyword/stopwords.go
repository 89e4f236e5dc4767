package keyword

import (
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	_ "embed"

	"github.com/neardup/neardup/internal/textlines"
)

// StopWords is a set of words without content. A nil set is empty.
type StopWords struct{ words map[string]bool }

// NewStopWords returns the set of the given words, in lower case.
func NewStopWords(words ...string) *StopWords {
	s := &StopWords{words: make(map[string]bool, len(words))}
	for _, w := range words {
		s.words[strings.ToLower(w)] = true
	}
	return s
}

// ReadStopWords reads one word per line. It skips empty lines and lines that start with "# ".
func ReadStopWords(r io.Reader) (*StopWords, error) {
	var words []string
	err := textlines.Lines("stop words", r, func(_ int, raw []byte) error {
		line := strings.TrimSpace(string(raw))
		if !utf8.ValidString(line) {
			return errors.New("not UTF-8")
		}
		if line != "" && line != "#" && !strings.HasPrefix(line, "# ") {
			words = append(words, line)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return NewStopWords(words...), nil
}

// Has reports whether a lower-case word is a stop word.
func (s *StopWords) Has(word string) bool { return s != nil && s.words[word] }

//go:embed data/stop.txt
var stopData string

// BuiltInStopWords returns the Chinese and English stop words of the package; data/NOTICE lists their sources.
func BuiltInStopWords() (*StopWords, error) { return stopOnce() }

var stopOnce = sync.OnceValues(func() (*StopWords, error) {
	return ReadStopWords(strings.NewReader(stopData))
})
