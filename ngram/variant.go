package ngram

import (
	"unicode"

	"github.com/neardup/neardup/text"
)

// Variant reports whether two clean texts differ only in particulars. They must have the same number of words and at least
// one equal word, and every differing word must be a particular in both texts. Particulars are numbers, dates, times, roman
// numerals, codes (letters with digits) and single capital letters. Between Chinese, Japanese and Korean runes, runs of
// digits and of other letters are also words. "FM 1506" and "FM 1507", "part I" and "part II", "code A7X2" and "code B9Q1",
// "第3期" and "第4期" are variants. Spaces and punctuation do not count. Names are not recognised, because that would need a
// dictionary. The order of the texts does not matter, and equal texts are not variants. O(len(a)+len(b)).
func Variant(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	if len(x) != len(y) {
		return false
	}
	same, other := 0, 0
	for i := range x {
		switch {
		case x[i] == y[i]:
			same++
		case particular(x[i]) && particular(y[i]):
			other++
		default:
			return false
		}
	}
	return same > 0 && other > 0
}

// wordsOf cuts a text into runs of letters and numbers. Each rune of a script without spaces is a word. Chinese digits are
// also separate words, so 三 and 四 are compared as one word each.
func wordsOf(s string) []string {
	var words []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, s[start:at])
			start = -1
		}
	}
	for at, r := range s {
		switch {
		case !text.IsAlnum(r):
			end(at)
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			end(at)
			words = append(words, string(r))
		case start < 0:
			start = at
		}
	}
	end(len(s))
	return words
}

// particular reports whether a word is a number, a code, a numeral or a
// capital letter.
func particular(word string) bool {
	letters, digits, numeral, capital := 0, 0, true, false
	for _, r := range word {
		switch {
		case unicode.IsNumber(r) || chineseDigit(r):
			digits++
		default:
			letters++
			capital = letters == 1 && unicode.IsUpper(r)
			numeral = numeral && romanDigit(r)
		}
	}
	return digits > 0 || (numeral && letters <= 5) || capital
}

func romanDigit(r rune) bool {
	switch r | 0x20 {
	case 'i', 'v', 'x', 'l', 'c':
		return true
	}
	return false
}

func chineseDigit(r rune) bool {
	switch r {
	case '〇', '零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万', '亿', '两':
		return true
	}
	return false
}
