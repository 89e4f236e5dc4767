package ngram_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup/ngram"
)

type blanks struct{}

func (blanks) Cut(dst []string, clean string) []string {
	return append(dst, strings.Fields(clean)...)
}

type stop map[string]bool

func (s stop) Has(word string) bool { return s[word] }

// The forms that are cut and compared, and what the Spec calls them.
func TestPreparers(t *testing.T) {
	const clean = "the cat, the hat - 2 mice!"
	for _, test := range []struct {
		p          ngram.Preparer
		name, form string
	}{
		{ngram.AsItIs{}, "asis", clean},
		{ngram.Alnum{}, "alnum", "thecatthehat2mice"},
		{ngram.Words{Cutter: blanks{}, Label: "blanks"}, "words(blanks)", "the cat, the hat 2 mice!"},
		{ngram.Words{Cutter: blanks{}, Label: "blanks", Stop: stop{"the": true}, StopLabel: "the"}, "words(blanks)-stop(the)", "cat, hat 2 mice!"},
	} {
		if got := test.p.Name(); got != test.name {
			t.Errorf("name %q, want %q", got, test.name)
		}
		if got := test.p.Prepare(clean); got != test.form {
			t.Errorf("%s: %q, want %q", test.name, got, test.form)
		}
	}
}
