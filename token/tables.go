package token

import "strings"

// tagNames lists the HTML elements that occur in text.
const tagNames = `a abbr b big blockquote body br center cite code dd del div dl dt em font form h1 h2 h3 h4 h5 h6 head hr html i img input ins li link
	meta nobr ol option p pre s script select small span strike strong style sub sup table tbody td tfoot th thead title tr tt u ul video wbr`

var (
	tagTable   = wordSet(tagNames)
	romanTable = wordSet("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi")
)

// wordSet returns the set of the words in a text.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
