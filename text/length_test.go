package text_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/neardup/neardup/text"
)

// Every rune alone: what NFKC makes more than three times as long is counted
// as long at least, and nothing is counted at more than three times its length.
func TestLenNFKC(t *testing.T) {
	worst := 0
	for r := rune(1); r <= 0x10ffff; r++ {
		s := string(r)
		want := len(norm.NFKC.String(s))
		got := text.LenNFKC(s)
		if (want > 3*len(s) && got < want) || got > 3*max(want, len(s)) {
			t.Errorf("%U: %d, NFKC has %d", r, got, want)
		}
		worst = max(worst, (want+len(s)-1)/len(s))
	}
	if worst != text.MostNFKC {
		t.Errorf("NFKC makes up to %d times as many bytes; MostNFKC is %d", worst, text.MostNFKC)
	}
	for _, s := range []string{"", "plain", strings.Repeat("中文，한국어 é", 100)} {
		if got := text.LenNFKC(s); got != len(s) {
			t.Errorf("%.10q: %d, want %d", s, got, len(s))
		}
	}
}

func ExampleLenNFKC() {
	fmt.Println(text.LenNFKC("a"), text.LenNFKC("\ufdfa"))
	// Output: 1 33
}
