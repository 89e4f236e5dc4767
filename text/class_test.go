package text_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/neardup/neardup/text"
)

// testdata/python.txt has the properties of every code point in Python 3.11; tables.py writes it.
func TestEveryCodePointAsPython(t *testing.T) {
	f, err := os.Open("testdata/python.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lower, space := normalizer(t, "lower"), normalizer(t, "space")
	check := func(r rune, word, alnum, white bool, distance rune) {
		if text.IsWord(r) != word || text.IsAlnum(r) != alnum {
			t.Errorf("%U: IsWord %v, IsAlnum %v; Python says %v, %v", r, text.IsWord(r), text.IsAlnum(r), word, alnum)
		}
		if text.IsCJK(r) && !(word && alnum) {
			t.Errorf("%U: IsCJK but no word rune", r)
		}
		if got := space.Clean("a" + string(r) + "b"); (got == "a b") != white {
			t.Errorf("%U: white space %v; Python says %v", r, !white, white)
		}
		if got := lower.Clean("\u0345" + string(r)); r != 'İ' && got != "\u0345"+string(r+distance) {
			t.Errorf("%U: lower case is %+q; Python says %+q", r, got, r+distance)
		}
	}
	next, last := rune(0), func(rune) {}
	fill := func(to rune) {
		for ; next < to; next++ {
			if next < 0xD800 || next > 0xDFFF {
				last(next)
			}
		}
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var from, distance rune
		var flags string
		if _, err := fmt.Sscanf(lines.Text(), "%x %s %d", &from, &flags, &distance); err != nil {
			continue // the second line of the comment
		}
		fill(from)
		last = func(r rune) { check(r, flags[0] == '1', flags[1] == '1', flags[2] == '1', distance) }
	}
	fill(0x110000)
	if next != 0x110000 {
		t.Fatal("golden file is not whole")
	}
}

// Clean leaves a rune alone under nfkc only if x/text agrees that there is nothing to do, whatever surrounds
// it.
func TestEveryCodePointAsNFKC(t *testing.T) {
	nfkc, both := normalizer(t, "nfkc"), normalizer(t, "default")
	for r := rune(0); r < 0x110000; r++ {
		if r >= 0xD800 && r <= 0xDFFF {
			continue
		}
		switch r { // nothing is between these but code points for private use
		case 0x40000:
			r = 0xE0000
		case 0xE1000:
			r = 0x10FF00
		}
		for _, s := range [...]string{string(r), "a" + string(r) + "\u0323", "ᄒ" + string(r) + "\u0301b"} {
			if got, want := nfkc.Clean(s), norm.NFKC.String(s); got != want && assigned(r) {
				t.Errorf("%U: nfkc of %+q is %+q, want %+q", r, s, got, want)
			}
			once := both.Clean(s)
			if twice := both.Clean(once); twice != once {
				t.Errorf("%U: Clean gives %+q, then %+q", r, once, twice)
			}
		}
	}
}

// assigned reports whether Unicode 14 has a code point, approximately. Later ones belong to no word.
func assigned(r rune) bool {
	return text.IsWord(r) || !unicode.In(r, unicode.L, unicode.M, unicode.N) || (unicode.Is(unicode.M, r) && r < 0x11F00)
}

func TestIsCJK(t *testing.T) {
	for _, r := range "中文々〇ひらカター한글ㄅㄱｶ豈\U00020000" {
		if !text.IsCJK(r) {
			t.Errorf("%q is not CJK", r)
		}
	}
	for _, r := range "aZ1_é。，、「 Ａ１αж\u0301\u3099⺀-1" {
		if text.IsCJK(r) {
			t.Errorf("%q is CJK", r)
		}
	}
	// Go's scripts are the wider ones by symbols, the tables by what is used as a letter of them.
	letters := []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo}
	for r := rune(0); r < 0x110000; r++ {
		if script := unicode.In(r, letters...) && text.IsAlnum(r); script && !text.IsCJK(r) {
			t.Errorf("%U is a letter of a CJK script but not IsCJK", r)
		}
	}
}

func ExampleIsWord() {
	fmt.Println(text.IsWord('é'), text.IsWord('_'), text.IsWord('中'), text.IsWord('-'))
	// Output: true true true false
}

func ExampleIsAlnum() {
	fmt.Println(text.IsAlnum('é'), text.IsAlnum('_'), text.IsAlnum('½'))
	// Output: true false true
}

func ExampleIsCJK() {
	fmt.Println(text.IsCJK('中'), text.IsCJK('ア'), text.IsCJK('한'), text.IsCJK('。'))
	// Output: true true true false
}
