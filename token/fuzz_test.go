package token

import (
	"math/big"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// Numbers end within the text and have one form, for any text. Multipliers multiply them exactly.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"1,995.0", "007", ".25", "1,2345", "4.3 billion", "43亿", "5万亿", "百分之五十", "第二十一", "一千零一", "二〇二五", "9999999999999999999", "1.2.3", "x9y08", "0,000.000", ".0.0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for at := range s {
			if isDigit(s[at]) {
				if end := numberEnd(s, at); end != 0 && (end <= at || end > len(s)) {
					t.Fatalf("%q: a number from %d to %d", s, at, end)
				} else if end != 0 {
					oneForm(t, s, at, end)
				}
			}
			from, to := numerals(s, at)
			if from != at || to < at || to > len(s) || (to < len(s) && !utf8.RuneStart(s[to]) && utf8.ValidString(s)) {
				t.Fatalf("%q: a numeral at %d from %d to %d", s, at, from, to)
			}
			if to > at && chineseNumber(s[at:to]) == "" {
				t.Errorf("%q: the numeral %q has no value", s, s[at:to])
			}
		}
	})
}

// oneForm holds the value of a number in one form to arithmetic.
func oneForm(t *testing.T, s string, at, end int) {
	value := decimal(s[at:end])
	if decimal(value) != value || value == "" {
		t.Errorf("%q is %q, and that %q", s[at:end], value, decimal(value))
	}
	if end-at > 40 {
		return
	}
	was, ok := new(big.Rat).SetString("0" + separators.Replace(s[at:end]))
	is, okToo := new(big.Rat).SetString(value)
	if !ok || !okToo || was.Cmp(is) != 0 {
		t.Errorf("%q is %q", s[at:end], value)
		return
	}
}

// Any bytes are cut, and alike by every cutter, and the view of them has their
// tokens.
func FuzzCut(f *testing.F) {
	for _, s := range parts {
		f.Add(s + " " + s)
	}
	f.Add("kr&#246;ger &amp; &#x10ffff;&#xd800;&#0; &amp;amp; &")
	f.Add("9点3分9:301 march 5th of may 2024年13月2日三点五十百分之点五")
	c := Cutting{Cutter: newCutter(f)}
	f.Fuzz(func(t *testing.T, s string) {
		other := Cutting{Cutter: newCutter(t)}
		for _, clean := range []string{s, text.Default().Clean(s)} {
			if err := checkView(&c, &other, clean); err != nil {
				t.Error(err)
			}
		}
	})
}

// Cutting a text of one pattern takes memory linear in its length, and so linear time: no string is built piece
// by piece repeatedly.
func TestCutIsLinear(t *testing.T) {
	c := Cutting{Cutter: newCutter(t)}
	c.Cut("加载词典") // loads the dictionary
	const size = 256 << 10
	for _, pattern := range []string{"一", "十一", "a.", "1,000", "1.", "&#1;", "第", "u.s.", "9", "v1.", "x9", "百分之", "１２", "4bn ", "两个月来", "1.2.", "9点", "1:1", "三比", "<b ", "a-", "a'", "twenty-", "march 5 ", "2024年", "1 000 ", "9 p.", "usd 5", "四次会议", "三分之", "a- ", "1-", "1:", "12:30", "march ", "第四次", "三比零啊", "http://", "百", "千万"} {
		clean := strings.Repeat(pattern, size/len(pattern))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.Cut(clean)
		c.View()
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 500*size {
			t.Errorf("%q over and over, %d KiB: %d MiB were put together", pattern, size>>10, used>>20)
		}
	}
}
