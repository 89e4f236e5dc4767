package simhash_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/simhash"
)

func TestPrinterMakesWhatOfMakes(t *testing.T) {
	for _, s := range []feature.Shingle{{Unit: feature.Auto, K: 1}, {Unit: feature.Words, K: 3}, {Unit: feature.Runes, K: 4}} {
		p := simhash.NewPrinter(s, 5)
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 300).Draw(t, "times"))
			if got, want := p.Fingerprint(text), simhash.Of(s.Append(nil, text, 5)); got != want {
				t.Fatalf("%v: got %x, want %x", s, got, want)
			}
		})
	}
}

func ExamplePrinter() {
	p := simhash.NewPrinter(feature.Shingle{Unit: feature.Runes, K: 3}, 0)
	a := p.Fingerprint("a printer is used for one text after the other")
	b := p.Fingerprint("a printer is used for one text after the others")
	fmt.Println(simhash.Distance(a, b) < 12)
	// Output: true
}
