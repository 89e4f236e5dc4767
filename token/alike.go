package token

import (
	"strings"
	"unicode/utf8"
)

// Alike reports whether two words are one, written in two ways: one abbreviates
// or inflects the other, or a letter in four differs. Two letters exchanged are
// one edit (Damerau 1964). What has digits is a name, and never misspelt.
func Alike(x, y *Token) bool {
	if x.Number() || y.Number() || x.Coded || y.Coded {
		return false
	}
	if x.Han || y.Han {
		return x.Han && y.Han && alikeHan(x.Text, y.Text)
	}
	return alikeWords(x.Text, y.Text)
}

// Opposites reports whether two words are opposites, or name two of a row: roman
// numerals, single letters.
func Opposites(x, y *Token) bool {
	return areOpposites(x.Text, y.Text) || isRoman(x.Text) && isRoman(y.Text) || isOption(x.Text) && isOption(y.Text)
}

// Negations counts the words that say no.
func Negations(tokens []Token) (n int) {
	for i := range tokens {
		if isNegation(tokens[i].Text) {
			n++
		}
	}
	return n
}

// Joined reports whether the words of two places are one row of letters, parted
// in two ways, or one side is the initials of the other.
func Joined(a, b []*Token) bool {
	if len(a) == 0 || len(b) == 0 || len(a) == 1 && len(b) == 1 {
		return false
	}
	if initials(a, b) || initials(b, a) {
		return true
	}
	x, y := joined(a), joined(b)
	if x == "" || y == "" {
		return false
	}
	return x == y || !hasDigit(x) && !hasDigit(y) && len(x) >= 6 && alikeWords(x, y)
}

func joined(tokens []*Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	return b.String()
}

// initials reports whether a single word of one side is made of the first
// letters of the words of the other: vldb and very large data bases.
func initials(one, many []*Token) bool {
	if len(one) != 1 || len(many) < 2 || len(one[0].Text) != len(many) {
		return false
	}
	for i := range many {
		if many[i].Text == "" || many[i].Text[0] != one[0].Text[i] {
			return false
		}
	}
	return true
}

// alikeHan reports whether of two Chinese words one holds the other, of two
// characters at the least: 北京 and 北京市.
func alikeHan(x, y string) bool {
	if len(x) > len(y) {
		x, y = y, x
	}
	return utf8.RuneCountInString(x) >= 2 && strings.Contains(y, x)
}

func alikeWords(x, y string) bool {
	if x == y {
		return true
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 || len(y) > longestWord {
		return false
	}
	runes := 0
	for _, r := range x {
		if k := class(r); k == classHan || k == classRun {
			return false
		}
		runes++
	}
	if strings.HasPrefix(y, x) && runes >= 3 || inflected(x, y) {
		return true
	}
	if runes < 4 {
		return runes == 3 && len(y) == 3 && swapped(x, y)
	}
	return editsAtMost(x, y, max(1, utf8.RuneCountInString(y)/4))
}

// swapped reports whether two letters in a row have exchanged places.
func swapped(x, y string) bool { return editsAtMost(x, y, 1) && sorted(x) == sorted(y) }

func sorted(s string) [3]byte {
	a, b, c := s[0], s[1], s[2]
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return [3]byte{a, b, c}
}

// longestWord is the length in bytes of the longest words that are compared
// letter by letter.
const longestWord = 64

// inflected reports whether two English words have one stem: jumps and jumped.
func inflected(x, y string) bool {
	n := 0
	for n < len(x) && x[n] == y[n] {
		n++
	}
	return n >= 4 && isEnding(x[n:]) && isEnding(y[n:])
}

// editsAtMost reports whether at most most edits make y of x: a letter put in,
// taken away or replaced, or two in a row exchanged. O(len(x)*len(y)); both are
// words.
func editsAtMost(x, y string, most int) bool {
	var runes [2][longestWord]rune
	a, b := appendRunes(runes[0][:0], x), appendRunes(runes[1][:0], y)
	if max(len(a), len(b))-min(len(a), len(b)) > most {
		return false
	}
	var memory [3][longestWord + 1]int
	before, last, row := memory[0][:len(b)+1], memory[1][:len(b)+1], memory[2][:len(b)+1]
	for k := range last {
		last[k] = k
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			row[k] = min(last[k-1]+cost, last[k]+1, row[k-1]+1)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				row[k] = min(row[k], before[k-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)] <= most
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}
