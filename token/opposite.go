package token

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Opposites reports whether two words are opposites, or different members of a class: directions, months, roman numerals,
// ordinals, single letters. A word and the same word with a negating prefix are opposites.
func Opposites(x, y *Token) bool {
	if x.Han != y.Han {
		return false
	}
	return (x.opposed && y.opposed && (slices.Contains(oppositeTable()[base(x.Text)], base(y.Text)) || inClass(x.Text, y.Text))) ||
		hasPrefix(x, y) || hasPrefix(y, x)
}

// hasOpposites reports whether a word is in the table of opposites or in a class.
func hasOpposites(w string) bool {
	return len(oppositeTable()[base(w)]) > 0 || romanTable[w] || isLetter(w) || ordinalValues[w] > 0
}

func inClass(x, y string) bool {
	return (romanTable[x] && romanTable[y]) || (isLetter(x) && isLetter(y)) || (ordinalValues[x] > 0 && ordinalValues[y] > 0)
}

func isLetter(w string) bool {
	return len(w) == 1 && 'a' <= w[0] && w[0] <= 'z' && w != "a" && w != "i"
}

// denyingPrefixes lists prefixes that make the opposite of a word. After a-, the word must end like an adjective.
var denyingPrefixes = strings.Fields("un non in im il ir dis anti mis de a")

// hasPrefix reports whether y with a denying prefix is x: nontoxic and toxic, afebrile and febrile.
func hasPrefix(x, y *Token) bool {
	prefix, found := strings.CutSuffix(x.Text, y.Text)
	if !found || prefix == "" || x.Han || x.Fact() || y.Fact() || len(y.Text) < 4 || !slices.Contains(denyingPrefixes, prefix) {
		return false
	}
	return prefix != "a" || endsInAny(y.Text, "ic", "al", "ile", "ous", "ar")
}

func endsInAny(s string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(s, e) })
}

// negations lists negating words by language, and words that reverse a whole text, such as revert.
//
//go:embed words/negations.txt
var negations string

// runNegations lists negations in scripts without spaces between words: Japanese, Thai, Lao.
var runNegations = []string{"ません", "ない", "なかっ", "ไม่", "ບໍ່"}

// negationTable maps negating words to true. It maps words that begin like a Chinese negation but negate nothing (marked
// with = in the list), such as 不断 and 未来, to false.
var negationTable = sync.OnceValue(func() map[string]bool {
	table := wordSet(strings.Join(runNegations, " "))
	for line := range strings.Lines(negations) {
		words, plain := strings.CutPrefix(line, "=")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, w := range strings.Fields(words) {
			table[w] = !plain
		}
	}
	return table
})

// denies reports whether a word negates. A Chinese word that begins with a negation does, unless it begins with one of the
// exceptions.
func denies(word string, han bool) bool {
	table := negationTable()
	if denies, listed := table[word]; listed || !han || !strings.ContainsAny(word, "不无未非没勿") {
		return denies
	}
	found := strings.IndexAny(word, "不无未非") == 0
	for at := range word {
		if runes := utf8.RuneCountInString(word[:at]); runes == 2 || runes == 3 {
			denies, listed := table[word[:at]]
			if listed && !denies {
				return false
			}
			found = found || denies
		}
	}
	return found && utf8.RuneCountInString(word) > 1
}

// oppositeWords has rows of words. Each is the opposite of every other, or a different member of a class, such as a month.
//
//go:embed words/opposites.txt
var oppositeWords string

// oppositeTable maps each word to its opposites.
var oppositeTable = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for _, row := range strings.Fields(oppositeWords) {
		words := strings.Split(row, "/")
		for i, x := range words {
			for k, y := range words {
				if i != k {
					table[base(x)] = append(table[base(x)], base(y))
				}
			}
		}
	}
	return table
})

// base removes the ending -s, so that a row also covers plurals.
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
