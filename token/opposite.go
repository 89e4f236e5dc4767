package token

import (
	_ "embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Opposites reports whether two words are opposites, or name two of a class: directions, months, roman numerals,
// ordinals, single letters. A word and the same with a prefix that denies it are opposites.
func Opposites(x, y *Token) bool {
	if x.Han != y.Han {
		return false
	}
	return areOpposites(x.Text, y.Text) || inClass(x.Text, y.Text) || denies(x, y) || denies(y, x)
}

func inClass(x, y string) bool {
	return isRoman(x) && isRoman(y) || isLetter(x) && isLetter(y) || ordinalValue(x) > 0 && ordinalValue(y) > 0
}

func isLetter(w string) bool {
	return len(w) == 1 && 'a' <= w[0] && w[0] <= 'z' && w != "a" && w != "i"
}

// denyingPrefixes make the opposite of a word. After a- the word must end as an adjective does.
var denyingPrefixes = strings.Fields("un non in im il ir dis anti mis de a")

// denies reports whether y with a denying prefix is x: nontoxic and toxic, afebrile and febrile.
func denies(x, y *Token) bool {
	prefix, found := strings.CutSuffix(x.Text, y.Text)
	if !found || prefix == "" || x.Han || x.Fact() || y.Fact() || len(y.Text) < 4 || !slices.Contains(denyingPrefixes, prefix) {
		return false
	}
	return prefix != "a" || endsInAny(y.Text, "ic", "al", "ile", "ous", "ar")
}

func endsInAny(s string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(s, e) })
}

// negations has the words that deny, by language, and operators on what a whole text says, such as revert.
//
//go:embed words/negations.txt
var negations string

// runNegations deny within scripts that have no spaces between words: Japanese, Thai, Lao.
var runNegations = []string{"ません", "ない", "なかっ", "ไม่", "ບໍ່"}

var negationTable = sync.OnceValue(func() *set {
	words := runNegations
	for line := range strings.Lines(negations) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "=") {
			words = append(words, strings.Fields(line)...)
		}
	}
	return newSet(words)
})

// plainTable has the Chinese words that begin as a negation does and deny nothing: 不断, 未来.
var plainTable = sync.OnceValue(func() *set {
	var words []string
	for line := range strings.Lines(negations) {
		if rest, found := strings.CutPrefix(line, "="); found {
			words = append(words, strings.Fields(rest)...)
		}
	}
	return newSet(words)
})

// Negates reports whether a word denies. A Chinese word that begins with a negation does, unless it begins with a word
// of a list.
func Negates(t *Token) bool {
	if negationTable().has(t.Text) {
		return true
	}
	if !t.Han || !strings.ContainsAny(t.Text, "不无未非没勿") {
		return false
	}
	denies := strings.ContainsRune("不无未非", firstRune(t.Text))
	for at := range t.Text {
		if runes := utf8.RuneCountInString(t.Text[:at]); runes == 2 || runes == 3 {
			if plainTable().has(t.Text[:at]) {
				return false
			}
			denies = denies || negationTable().has(t.Text[:at])
		}
	}
	return denies && utf8.RuneCountInString(t.Text) > 1 && !plainTable().has(t.Text)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// oppositeWords has rows of words, each the opposite of every other, or another of
// the same class: a direction, a month, a unit. Lines with a + have verbs, to be
// inflected; those with a * double their last letter.
//
//go:embed words/opposites.txt
var oppositeWords string

var oppositeTable = sync.OnceValue(func() *pairs {
	table := &pairs{map[string][]string{}, newFilter(1 << 11)}
	for line := range strings.Lines(oppositeWords) {
		rows, verbs := strings.CutPrefix(line, "+ ")
		for _, inflect := range inflections(verbs) {
			table.add(rows, func(w string) string { return base(inflect(w)) })
		}
	}
	return table
})

// set is a set of words.
type set struct {
	words map[string]bool
	filter
}

func newSet(list []string) *set {
	s := &set{map[string]bool{}, newFilter(len(list))}
	for _, w := range list {
		s.words[w] = true
		s.note(w)
	}
	return s
}

func (s *set) has(word string) bool { return s.may(word) && s.words[word] }

// filter is a bit set. From its length and three letters it rules out nearly every word that is not in a table,
// in a nanosecond or two.
type filter []uint64

func newFilter(words int) filter { return make(filter, 1<<bits.Len(uint(words/4))) }

func (f filter) note(word string) {
	at := f.at(word)
	f[at/64] |= 1 << (at % 64)
}

func (f filter) may(word string) bool {
	at := f.at(word)
	return f[at/64]>>(at%64)&1 != 0
}

func (f filter) at(word string) int {
	n := len(word)
	if n == 0 {
		return 0
	}
	h := uint32(word[0]) | uint32(word[n/2])<<8 | uint32(word[n-1])<<16 | uint32(n)<<24
	return int(h*2654435769>>8) & (64*len(f) - 1)
}

// pairs are words with those that they are paired with: most words have none.
type pairs struct {
	words map[string][]string
	filter
}

// add pairs every two words of each row, in a form, both ways round.
func (p *pairs) add(rows string, form func(string) string) {
	for _, row := range strings.Fields(rows) {
		words := strings.Split(row, "/")
		for i, x := range words {
			p.note(form(x))
			for k, y := range words {
				if i != k {
					p.words[form(x)] = append(p.words[form(x)], form(y))
				}
			}
		}
	}
}

func areOpposites(x, y string) bool {
	x, y = base(x), base(y)
	table := oppositeTable()
	return table.may(x) && table.may(y) && slices.Contains(table.words[x], y)
}

// inflections returns functions that make the forms of the words of a line.
func inflections(verbs bool) []func(string) string {
	plain := func(w string) string { return strings.TrimSuffix(w, "*") }
	if !verbs {
		return []func(string) string{plain}
	}
	with := func(ending string) func(string) string {
		return func(w string) string {
			base, doubles := strings.CutSuffix(w, "*")
			last := base[len(base)-1]
			switch {
			case doubles:
				return base + string(last) + ending
			case last == 'e':
				return base[:len(base)-1] + ending
			case last == 'y' && ending == "ed" && !isVowel(base[len(base)-2]):
				return base[:len(base)-1] + "ied"
			}
			return base + ending
		}
	}
	return []func(string) string{plain, with("ed"), with("ing")} // the plain one also covers the one with -s
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

// base leaves the ending -s off a word, so that a row is one of its plurals too.
func base(word string) string {
	n := len(word)
	if n < 4 || word[n-1] != 's' || word[n-2] == 's' {
		return word
	}
	if endsInAny(word, "sses", "shes", "ches", "xes") {
		return word[:n-2]
	}
	if stem, found := strings.CutSuffix(word, "ies"); found && n > 4 {
		return stem + "y"
	}
	return word[:n-1]
}
