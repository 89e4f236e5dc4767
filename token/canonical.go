package token

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text"
)

// kind is what a word is besides a word.
type kind uint8

const (
	kindPlain   kind = iota // this and the next two are taken as they stand
	kindMeasure             // a unit or a currency: of a fixed weight
	kindFiller              // of no content: a particle, a greeting, a credit
	kindNumber              // two, hundred
	kindMonth
	kindPhrase // of several words: cannot
	kindBound  // a t may follow that is a negation: don t
	kindNo     // a number may follow: no. 3
	kindLink   // an address may follow: https
	kindCoded  // with digits
)

// entry is what a list says of a word.
type entry struct {
	text string // canonical; several words of kindPhrase
	kind kind
}

// The lists of words/ have a line for each word: it, and other ways to write it.
//
//go:embed words/same.txt
var sameWords string

//go:embed words/measure.txt
var measureNames string

//go:embed words/filler.txt
var fillerWords string

//go:embed words/phrase.txt
var phraseWords string

// lists holds every word of the lists by what it stands for.
var lists = sync.OnceValue(func() map[string]entry {
	table := map[string]entry{}
	add := func(text string, k kind) {
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			for _, w := range words {
				table[w] = entry{words[0], k}
			}
		}
	}
	add(sameWords, kindPlain)
	add(measureNames, kindMeasure)
	for _, w := range strings.Fields(fillerWords) {
		table[w] = entry{w, kindFiller}
	}
	for line := range strings.Lines(phraseWords) {
		word, phrase, _ := strings.Cut(strings.TrimSpace(line), "=")
		table[strings.TrimSpace(word)] = entry{strings.TrimSpace(phrase), kindPhrase}
	}
	for word := range numberValues {
		table[word] = entry{word, kindNumber}
	}
	for n := 1; n < len(months); n++ {
		for _, w := range strings.Fields(monthNames[n]) {
			table[w] = entry{months[n], kindMonth}
		}
	}
	for _, w := range strings.Fields(auxiliaries + " wo ca sha ai") {
		table[w+"n"] = entry{w + "n", kindBound}
	}
	table["no"] = entry{"no", kindNo}
	table["http"], table["https"] = entry{"http", kindLink}, entry{"https", kindLink}
	return table
})

// mostListed is the length of the longest word in a list, in bytes.
const mostListed = 24

// listed returns what a list says of a word; the zero entry if none has it.
func listed(word string) entry {
	if len(word) > mostListed || word == "" {
		return entry{}
	}
	return lists()[word]
}

var monthNames = [...]string{
	"", "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
	"september sep sept", "october oct", "november nov", "december dec",
}

// numberValues are the values of English number words.
var numberValues = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
	"seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "million": 1000000,
}

// smallNumber returns the value of a number word; 0 for none.
func smallNumber(word string) int {
	if len(word) < 3 || len(word) > 9 {
		return 0
	}
	return numberValues[word]
}

var ordinals = [...]string{
	"", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
}

// ordinalValue returns the value of an ordinal in words; 0 for none.
func ordinalValue(word string) int {
	if len(word) < 5 || len(word) > 8 {
		return 0
	}
	for n := 1; n < len(ordinals); n++ {
		if ordinals[n] == word {
			return n
		}
	}
	return 0
}

// boundWords are what an apostrophe binds to a word before it.
var boundWords = map[string]string{"re": "are", "ll": "will", "ve": "have", "m": "am", "d": "would"}

// learn finds what a word stands for. Only words that are not among the recent
// ones come here.
func (c *Cutter) learn(f *form, word string, han bool) {
	e := listed(word)
	canonical := word
	*f = form{kind: e.kind}
	switch {
	case e.text != "":
		canonical = e.text
	case !han && hasDigit(word):
		f.kind, f.coded = kindCoded, true
		if letters := c.letters(word); letters != "" {
			canonical, f.kind, f.coded = letters, kindPlain, false
		}
	case !han && len(word) <= longestWord:
		canonical = c.spelling(word)
	}
	if canonical != word {
		f.text = canonical
	}
	f.hash = xxh3.HashStringSeed(canonical, c.seed)
	f.weight, f.known = c.weightOf(canonical, f.kind, han)
}

func (c *Cutter) weightOf(canonical string, k kind, han bool) (weight uint32, known bool) {
	switch k {
	case kindMeasure:
		return measureWeight, true
	case kindFiller:
		return leastWeight, true
	}
	if han {
		return weigh(c.lexicon.chinese().idf, canonical)
	}
	return weigh(c.lexicon.other, canonical)
}

// spelling returns the form by which a word is compared that no list has: in
// American spelling, in the singular, in Latin letters. It is a word of the
// table, or the word stays as it is, but for long words and a list of verbs: so
// nothing is invented, and names and other languages are left alone.
func (c *Cutter) spelling(word string) string {
	if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		return c.latin(word)
	}
	if american := c.american(word); american != "" {
		word = american
	}
	if singular := c.singular(word); singular != "" {
		return singular
	}
	return word
}

func (c *Cutter) weighs(word string) (uint32, bool) { return weigh(c.lexicon.other, word) }

// singular returns the word without its ending -s, if that is a word and at
// least as common: runs is run, and wales, news and paris stay.
func (c *Cutter) singular(word string) string {
	n := len(word)
	if n < 4 || word[n-1] != 's' || isPlain(word) {
		return ""
	}
	switch word[n-2] {
	case 's', 'u', 'i', '\'':
		return ""
	}
	stems := []string{word[:n-1]}
	switch {
	case strings.HasSuffix(word, "ies") && n > 4:
		stems = []string{word[:n-3] + "y", word[:n-1]}
	case startsWithAny(word[n-min(n, 4):], "sses", "shes", "ches") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "zes") || strings.HasSuffix(word, "oes"):
		stems = []string{word[:n-2], word[:n-1]}
	}
	weight, known := c.weighs(word)
	for _, stem := range stems {
		if e := listed(stem); e.text != "" {
			continue
		}
		if w, found := c.weighs(stem); found && (!known || w <= weight) {
			return stem
		}
	}
	return ""
}

// american returns the American spelling of a British one, "" for none.
func (c *Cutter) american(word string) string {
	n := len(word)
	if n < 5 {
		return ""
	}
	if i := strings.LastIndex(word, "is"); i >= 3 && isVerbEnding(word[i+2:]) && !isPlainVerb(word[:i]) {
		if w := word[:i] + "iz" + word[i+2:]; c.has(w) || n >= 9 && !c.has(word) {
			return w
		}
	}
	if i := strings.LastIndex(word, "our"); i >= 2 && n-i <= 8 {
		if w := word[:i] + "or" + word[i+3:]; c.has(w) {
			return w
		}
	}
	if i := strings.LastIndex(word, "ll"); i >= 3 && isDoubling(word[:i+1], word[i+2:]) {
		return word[:i+1] + word[i+2:]
	}
	return ""
}

func (c *Cutter) has(word string) bool {
	_, known := c.weighs(word)
	return known
}

// letters returns the word that a word with digits is meant to be, g00gle, if
// the table has it; "" for none.
func (c *Cutter) letters(word string) string {
	if len(word) < 4 || !isLower(word[0]) || 2*digits(word) > len(word) {
		return ""
	}
	if meant := likeLetters.Replace(word); meant != word && isLower(word[len(word)-1]) && c.has(meant) {
		return meant
	}
	return ""
}

var likeLetters = strings.NewReplacer("0", "o", "1", "l")

// latin returns a word in plain Latin letters: without accents if the table has
// that and it is at least as common, and where letters that look alike stand among Latin ones.
func (c *Cutter) latin(word string) string {
	if name := greekName(word); name != "" {
		return name
	}
	latin, other := 0, 0
	meant := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			latin++
			return r
		}
		if l, found := lookAlikes[r]; found {
			return l
		}
		other++
		return r
	}, word)
	if latin > 0 && other == 0 {
		return meant
	}
	if plain := withoutAccents().Clean(word); plain != word && utf8.RuneCountInString(plain) >= 4 {
		weight, known := c.weighs(word)
		if w, found := c.weighs(plain); found && (!known || w <= weight) {
			return plain
		}
	}
	return word
}

var withoutAccents = sync.OnceValue(func() text.Normalizer {
	n, err := text.ParseNormalizer("accents")
	if err != nil {
		return text.Default() // which leaves clean text as it is
	}
	return n
})

// lookAlikes are the letters of other scripts that look like Latin ones.
var lookAlikes = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'ԝ': 'w', 'х': 'x', 'у': 'y',
	'α': 'a', 'ο': 'o', 'ν': 'v', 'ρ': 'p', 'ι': 'i', 'κ': 'k', 'μ': 'u', 'τ': 't', 'χ': 'x', 'ϲ': 'c', 'ı': 'i', 'ɡ': 'g', 'ɑ': 'a',
}

var greekNames = strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega")

// greekName returns the name of a single Greek letter; "" for any other word.
func greekName(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	if size != len(word) || r < 'α' || r > 'ω' {
		return ""
	}
	return greekNames[r-'α']
}

// weigh returns the weight of a word and whether the table has it. A word that
// the table lacks is a name or a slip of the pen, and counts half of what a
// word in the middle of the table does.
func weigh(t *keyword.Table, word string) (weight uint32, known bool) {
	if t == nil {
		return NumberWeight, false
	}
	idf, known := t.Find(word)
	w := idf * Unit / keyword.Unit
	if !known {
		w /= 2
	}
	return uint32(min(max(w, leastWeight), MostWeight)), known
}
