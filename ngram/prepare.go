package ngram

import (
	"strings"

	"github.com/neardup/neardup/text"
)

// Preparer is stage 1: it turns a clean text into the form that is cut and compared.
type Preparer struct {
	// Name is part of the Spec and so must change with the result.
	Name string
	// Prepare returns the form to work on, often the text itself. Pure and safe for concurrent use.
	Prepare func(clean string) string
}

// Alnum keeps the letters and digits only: punctuation and spaces, the parts most often varied by senders, do not
// count. Nor do signs: -5 becomes 5 and c++ becomes c. O(len(clean)).
func Alnum(clean string) string {
	return strings.Map(func(r rune) rune {
		if text.IsAlnum(r) {
			return r
		}
		return -1
	}, clean)
}
