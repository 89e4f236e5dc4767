package ngram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/ngram"
)

// Which keys a corpus gets is a matter of its texts, not of their order.
func TestKeysSuitTheCorpus(t *testing.T) {
	letters := make([]string, 5000)
	for i := range letters {
		letters[i] = strings.Repeat(fmt.Sprintf("the %d of ", i%97), 4) + fmt.Sprintf("and then %d", i)
	}
	for _, c := range []struct {
		what  string
		texts []string
		want  bool
	}{{"headlines", headlines(t)[:20_000], false}, {"a common greeting", greetings(t, 20_000), true}, {"an alphabet", letters, true}} {
		for range 2 {
			if got := ngram.Selects(trainAsFits(newMethod(t, ngram.Config{}), c.texts)); got != c.want {
				t.Errorf("%s: pieces are selected: %v, want %v", c.what, got, c.want)
			}
			slices.Reverse(c.texts)
		}
	}
}
