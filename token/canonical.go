package token

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text"
)

// list is the word list that has a word. It determines how a text may continue after the word.
type list uint8

const (
	listNone   list = iota // this and the next two do not change the word
	listSame               // another spelling of a word, or a unit
	listFiller             // without content: a particle, a greeting, a credit
	listNumber             // two, hundred
	listPhrase             // stands for several words, such as cannot
)

// entry is a word of a list.
type entry struct {
	text string // the canonical form, which for listPhrase has several words
	list list
	kind Kind
}

// The lists in words/ have a line for each word, with its other spellings.
//
//go:embed words/same.txt
var sameWords string

//go:embed words/measure.txt
var measureNames string

//go:embed words/filler.txt
var fillerWords string

//go:embed words/phrase.txt
var phraseWords string

// lists maps every listed word to its entry.
var lists = sync.OnceValue(func() map[string]entry {
	table := map[string]entry{}
	add := func(text string, l list, k Kind) {
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			for _, w := range words {
				table[w] = entry{words[0], l, k}
			}
		}
	}
	add(sameWords, listSame, Plain)
	add(measureNames, listSame, Measure)
	add(fillerWords, listFiller, Plain)
	for line := range strings.Lines(phraseWords) {
		word, phrase, _ := strings.Cut(strings.TrimSpace(line), "=")
		table[strings.TrimSpace(word)] = entry{strings.TrimSpace(phrase), listPhrase, Plain}
	}
	for word := range numberValues {
		table[word] = entry{word, listNumber, Plain}
	}
	return table
})

// mostListed is the length of the longest word in a list, in bytes.
const mostListed = 24

// listed returns the list entry of a word, or the zero entry if no list has it.
func listed(word string) entry {
	if len(word) > mostListed || word == "" {
		return entry{}
	}
	return lists()[word]
}

// numberValues are the values of English number words.
var numberValues = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
	"seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "million": 1000000,
}

// ordinalValues are the values of English ordinals.
var ordinalValues = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12,
}

// learn computes the form of a word that is not among the recent ones.
func (c *Cutter) learn(f *form, word string, han bool) {
	e := listed(word)
	canonical := word
	*f = form{list: e.list, kind: e.kind}
	switch {
	case e.text != "":
		canonical = e.text
		f.text = canonical
	case !han && hasDigit(word):
		f.kind = Code
	case !han:
		canonical = strings.Map(text.Unaccented, word)
		if canonical != word {
			f.text = canonical
		}
	}
	f.hash = xxh3.HashStringSeed(canonical, c.seed)
	f.denies, f.opposed = denies(canonical, han), hasOpposites(canonical)
	switch {
	case e.kind == Measure:
		f.weight, f.known = measureWeight, true
	case e.list == listFiller:
		f.weight, f.known = leastWeight, true
	case han:
		f.weight, f.known = weigh(c.lexicon.chinese().idf, canonical)
	default:
		f.weight, f.known = c.weighForm(canonical)
	}
}

// endings lists endings of English forms that the tables lack, with the endings of the base forms in the tables.
var endings = [...][2]string{{"s", ""}, {"es", ""}, {"ies", "y"}, {"ed", ""}, {"ed", "e"}, {"ied", "y"}, {"ing", ""}, {"ing", "e"}, {"er", ""}, {"er", "e"}, {"ly", ""}}

// weighForm weighs a word. If the table lacks the word, it weighs the base form: jumped weighs as much as jump.
func (c *Cutter) weighForm(word string) (weight uint32, known bool) {
	weight, known = weigh(c.lexicon.other, word)
	for _, e := range endings {
		if stem, found := strings.CutSuffix(word, e[0]); found && !known && len(stem) >= 3 {
			if w, ok := weigh(c.lexicon.other, stem+e[1]); ok {
				return w, true
			}
			if n := len(stem); stem[n-1] == stem[n-2] { // as in stopped
				if w, ok := weigh(c.lexicon.other, stem[:n-1]); ok {
					return w, true
				}
			}
		}
	}
	return weight, known
}

// weigh returns the weight of a word and whether the table has it. A word that the table lacks is a name or a misspelling,
// so it gets half the median weight of the table.
func weigh(t *keyword.IDFTable, word string) (weight uint32, known bool) {
	idf, known := t.Find(word)
	w := idf * Unit / keyword.Unit
	if !known {
		w /= 2
	}
	return uint32(min(max(w, leastWeight), MostWeight)), known
}
