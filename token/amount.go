package token

import (
	"strings"
	"unicode/utf8"
)

// amount adds the number clean[from:to] with the scale behind it, as in 4.3bn,
// 4.3 billion, 43亿 and four million, and the currency before it behind it, and
// returns where they end.
func (c *Cutter) amount(clean string, from, to int, value string) int {
	end, zeros := scaleEnd(clean, to)
	currency := ""
	if from > 0 {
		currency = c.currencyBefore(clean, from)
	}
	if zeros == 0 && currency != "" {
		end, zeros = shortScaleEnd(clean, to)
	}
	if zeros > 0 {
		value = shifted(value, zeros)
	}
	c.number(clean[from:end], value)
	if currency != "" {
		c.put(currency, false)
		if p := skipSpace(clean, end); p < len(clean) {
			if next := wordAt(clean, p); listed(clean[p:next]).text == currency {
				return next // $5 usd
			}
		}
		return end
	}
	return c.score(clean, end)
}

// currencyBefore returns the currency that stands before the number at
// clean[at:] by its sign or its name, which is taken back: it is added behind.
func (c *Cutter) currencyBefore(clean string, at int) string {
	before := clean[:at]
	if before[at-1] == ' ' {
		before = before[:at-1]
	}
	r, size := utf8.DecodeLastRuneInString(before)
	n := len(c.tokens)
	if name := currencySign(r); name != "" {
		if name == "dollar" && n > 0 && c.tokens[n-1].Text == "us" && c.wordEnd == len(before)-size {
			c.tokens = c.tokens[:n-1] // us$5
		}
		return name
	}
	if n > 0 && c.wordEnd == len(before) && isCurrency(c.tokens[n-1].Text) && (n == 1 || !c.tokens[n-2].Number()) {
		c.tokens = c.tokens[:n-1]
		return c.tokens[:n][n-1].Text
	}
	return ""
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func currencySign(r rune) string {
	switch r {
	case '$':
		return "dollar"
	case '€':
		return "euro"
	case '£':
		return "pound"
	case '¥':
		return "元"
	case '₹':
		return "rupee"
	case '₽':
		return "ruble"
	case '₩':
		return "won"
	}
	return ""
}

// scaleEnd returns where the scale ends that stands behind a number that ends
// at s[at], and its power of ten; at and 0 where there is none.
func scaleEnd(s string, at int) (end, zeros int) {
	from := skipSpace(s, at)
	if from == len(s) {
		return at, 0
	}
	word := ""
	switch s[from] {
	case 't', 'm', 'b':
		end = wordAt(s, from)
		word = s[from:end]
	case "万"[0], "亿"[0], "千"[0], "百"[0]:
		return chineseScaleEnd(s, at, from)
	}
	switch word {
	case "thousand":
		return end, 3
	case "million", "mn":
		return end, 6
	case "billion", "bn":
		return end, 9
	case "trillion", "tn":
		return end, 12
	}
	return at, 0
}

// chineseScales are powers of ten, the longer ones first. 千 alone may belong to a
// unit, 千米.
var chineseScales = []struct {
	word  string
	zeros int
}{{"万亿", 12}, {"千亿", 11}, {"百亿", 10}, {"千万", 7}, {"百万", 6}, {"万", 4}, {"亿", 8}}

func chineseScaleEnd(s string, at, from int) (end, zeros int) {
	for _, scale := range chineseScales {
		if strings.HasPrefix(s[from:], scale.word) {
			return from + len(scale.word), scale.zeros
		}
	}
	return at, 0
}

// shortScaleEnd is scaleEnd for the single letters behind an amount of money.
func shortScaleEnd(s string, at int) (end, zeros int) {
	if at == len(s) || at+1 < len(s) && isWordByte(s[at+1]) {
		return at, 0
	}
	switch s[at] {
	case 'k':
		return at + 1, 3
	case 'm':
		return at + 1, 6
	case 'b':
		return at + 1, 9
	}
	return at, 0
}
