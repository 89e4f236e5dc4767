package ngram

import (
	"strings"

	"github.com/neardup/neardup/text"
)

// Preparer turns a clean text into the form that is cut and compared.
type Preparer struct {
	// Name is part of the Spec, so it must change whenever the result does.
	Name string
	// Prepare returns the prepared form, often the text itself. It is pure and safe for concurrent use.
	Prepare func(clean string) string
}

// Alnum keeps only letters and digits. Senders vary punctuation and spaces most often, so these do not count. Signs do not
// count either: -5 becomes 5, and c++ becomes c. O(len(clean)).
func Alnum(clean string) string {
	return strings.Map(func(r rune) rune {
		if text.IsAlnum(r) {
			return r
		}
		return -1
	}, clean)
}
