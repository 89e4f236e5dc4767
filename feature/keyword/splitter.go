package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// Splitter cuts a text into words. A word is a maximal run of letters, digits, marks and underscores, in lower case. Runs
// with Chinese characters are cut by a dictionary. It is a value, and safe for concurrent use.
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

// Append appends the words of a clean text to dst, in order and including repetitions. Words that are already in lower case
// are substrings of the text.
func (s Splitter) Append(dst []string, clean string) []string {
	for p := 0; p < len(clean); {
		if ascii[clean[p]] == between {
			p++
			continue
		}
		from := p
		var r run
		for p < len(clean) {
			size := r.take(clean, p)
			if size == 0 {
				break
			}
			p += size
		}
		if p > from {
			dst = s.run(dst, clean[from:p], r)
		} else {
			_, size := utf8.DecodeRuneInString(clean[p:])
			p += size
		}
	}
	return dst
}

// run describes a run of word characters.
type run struct {
	han   bool // it has a Chinese character
	cased bool // it may change in lower case
}

// take reads the word character at p and returns its length, or 0 if there is none.
func (r *run) take(s string, p int) int {
	c := s[p]
	if c < utf8.RuneSelf {
		if ascii[c] == between {
			return 0
		}
		r.cased = r.cased || ascii[c] == upper
		return 1
	}
	// 0xE4 0xB8 to 0xE9 begin U+4E00 to U+9FFF, which are Chinese and have no case.
	if c >= 0xE4 && c <= 0xE9 && p+2 < len(s) && s[p+1]&0xC0 == 0x80 && s[p+2]&0xC0 == 0x80 && (c > 0xE4 || s[p+1] >= 0xB8) {
		r.han = true
		return 3
	}
	char, size := utf8.DecodeRuneInString(s[p:])
	if !isWord(char) {
		return 0
	}
	r.han = r.han || unicode.Is(unicode.Han, char)
	r.cased = r.cased || c < 0xE4 || c > 0xE9
	return size
}

// run appends the words of a run of word characters.
func (s Splitter) run(dst []string, word string, r run) []string {
	from := len(dst)
	if r.han {
		dst = s.chinese.Cut(dst, word, s.mode)
	} else {
		dst = append(dst, word)
	}
	if r.cased {
		for i, word := range dst[from:] {
			dst[from+i] = strings.ToLower(word)
		}
	}
	return dst
}

// Kinds of ASCII bytes. Other bytes have none.
const (
	between = iota
	upper
	other
)

var ascii = func() (kinds [256]uint8) {
	for c := range kinds {
		switch {
		case 'A' <= c && c <= 'Z':
			kinds[c] = upper
		case c >= utf8.RuneSelf || isWord(rune(c)):
			kinds[c] = other
		}
	}
	return kinds
}()

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z') || ('0' <= r && r <= '9') || r == '_'
	}
	return r != utf8.RuneError && (unicode.Is(unicode.Han, r) || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}
