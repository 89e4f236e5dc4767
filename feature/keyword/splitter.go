package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// Splitter cuts a text into words: maximal runs of letters, digits, marks and
// underscores in lower case, those with Chinese characters in them cut by a
// dictionary. It is a value, safe for concurrent use.
type Splitter struct {
	chinese *segment.Segmenter
	mode    segment.Mode
}

// NewSplitter returns a Splitter that cuts Chinese with the given Segmenter.
func NewSplitter(chinese *segment.Segmenter, mode segment.Mode) Splitter {
	return Splitter{chinese: chinese, mode: mode}
}

// DefaultSplitter uses the built-in dictionary with the model for unknown
// words.
func DefaultSplitter() (Splitter, error) {
	g, err := segment.Default()
	return NewSplitter(g, segment.HMM), err
}

// Append appends the words of a clean text to dst, in order, repeats kept.
// Words that are in lower case already are parts of the text.
func (s Splitter) Append(dst []string, clean string) []string {
	start, han := -1, false
	for p, r := range clean {
		if !isWord(r) {
			dst = s.run(dst, clean, start, p, han)
			start, han = -1, false
			continue
		}
		if start < 0 {
			start = p
		}
		han = han || unicode.Is(unicode.Han, r)
	}
	return s.run(dst, clean, start, len(clean), han)
}

// run takes the word characters clean[start:end]; none if start is below 0.
func (s Splitter) run(dst []string, clean string, start, end int, han bool) []string {
	if start < 0 {
		return dst
	}
	from := len(dst)
	if han {
		dst = s.chinese.Cut(dst, clean[start:end], s.mode)
	} else {
		dst = append(dst, clean[start:end])
	}
	for i, word := range dst[from:] {
		dst[from+i] = lower(word)
	}
	return dst
}

// lower is strings.ToLower, but quick for Chinese: bytes from 0xE4 to 0xE9
// lead U+4000 to U+9FFF, where nothing has case.
func lower(word string) string {
	for i := range len(word) {
		if c := word[i]; 'A' <= c && c <= 'Z' || 0xC0 <= c && c < 0xE4 || c > 0xE9 {
			return strings.ToLower(word)
		}
	}
	return word
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return r != utf8.RuneError && (unicode.Is(unicode.Han, r) || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}
