package ngram

import (
	"strings"
	"unicode"
)

// Preparer is stage 1: it turns a clean text into the form that is cut and
// compared. Pure and safe for concurrent use.
type Preparer interface {
	// Prepare returns the form to work on, often the text itself.
	Prepare(clean string) string
	// Name is part of the Spec and so must change with the result.
	Name() string
}

// AsItIs keeps the clean text unchanged.
type AsItIs struct{}

// Prepare returns clean.
func (AsItIs) Prepare(clean string) string { return clean }

// Name returns "asis".
func (AsItIs) Name() string { return "asis" }

// Alnum keeps the letters and digits only: punctuation and spaces, the parts
// most often varied by senders, do not count. Nor do signs: -5 becomes 5 and
// c++ becomes c. The lossy form.
type Alnum struct{}

// Prepare drops every rune that is not a letter and no number. O(len(clean)).
func (Alnum) Prepare(clean string) string {
	return strings.Map(func(r rune) rune {
		if isAlnum(r) {
			return r
		}
		return -1
	}, clean)
}

// Name returns "alnum".
func (Alnum) Name() string { return "alnum" }

// Cutter cuts a text into words, appended to dst: package text/segment for
// Chinese.
type Cutter interface {
	Cut(dst []string, clean string) []string
}

// Words joins the words of a text by single spaces, so that shingles of words
// work for texts that are written without spaces.
type Words struct {
	Cutter Cutter
	// Label names the cutter and its dictionary in the Spec.
	Label string
	// Stop are words to leave out; nil leaves none out. StopLabel names
	// the list in the Spec.
	Stop      StopList
	StopLabel string
}

// StopList is a list of words without content.
type StopList interface {
	Has(word string) bool
}

// Prepare cuts, drops stop words and what holds no letter or number, and
// joins.
func (w Words) Prepare(clean string) string {
	var b strings.Builder
	b.Grow(len(clean) + len(clean)/4)
	for _, word := range w.Cutter.Cut(nil, clean) {
		if (w.Stop != nil && w.Stop.Has(word)) || !hasAlnum(word) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// Name returns "words(label)" or "words(label)-stop(label)".
func (w Words) Name() string {
	name := "words(" + w.Label + ")"
	if w.Stop != nil {
		name += "-stop(" + w.StopLabel + ")"
	}
	return name
}

// isAlnum does what Python's isalnum does: letters and numbers of every kind.
func isAlnum(r rune) bool {
	if r < 0x80 {
		return (r >= '0' && r <= '9') || (r|0x20 >= 'a' && r|0x20 <= 'z')
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func hasAlnum(s string) bool { return strings.IndexFunc(s, isAlnum) >= 0 }
