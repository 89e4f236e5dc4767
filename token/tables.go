package token

import (
	_ "embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Small sets of words that turn what a text says, in canonical form.

const negationWords = `no not never none nor neither without nothing nobody nowhere hardly
	不 没 没有 未 无 非 别 勿 不是 不会 不能 不再 并非 尚未 否认 辟谣 未能 不得`

// subjectWords are those behind which 's is "is".
const subjectWords = `it he she that this there here what who where how when`

// plainWords end in s in the singular, or mean something else without it.
const plainWords = `news goods customs means always perhaps does goes was has this his its us yes gas bus plus less series species
	physics politics economics mathematics athletics towards besides sometimes unless across james williams jones davis harris thomas
	arms glasses spirits premises damages minutes remains savings clothes works pants mars lens christmas texas kansas arkansas
	aids americas sans commons securities theirs lasts overs outs dallas athens brussels naples wales paris cyprus laos cannes rogers adams brooks stevens roberts edwards andrews phillips`

// plainVerbs are the words before -ise that no z is written in.
const plainVerbs = `advert adv dev rev superv improv compr prom prem surpr exerc franch merchand desp disgu enterpr exc surm telev circumc
	inc chast appr r ar w ra pra no ro po cru bru expert parad treat dem prec conc otherw likew clockw lengthw l mort ano counterw comprom counterclockw pract appra mayonna turquo torto porpo repr chem val marqu exorc`

const verbEndings = `e ed es er ers ing ation ations able`

// doublingVerbs are those whose l is doubled in Britain and not in America.
const doublingVerbs = `travel cancel model label level fuel signal total counsel marvel quarrel rival tunnel channel dial equal initial jewel libel
	panel pencil pedal shovel snorkel spiral swivel towel unravel yodel bevel chisel duel funnel grovel revel remodel`

const doublings = `ed ing er ers ings`

// tagNames are those of the HTML elements that stand in text.
const tagNames = `a abbr b big blockquote body br center cite code dd del div dl dt em font form h1 h2 h3 h4 h5 h6 head hr html i img input ins li link
	meta nobr ol option p pre s script select small span strike strong style sub sup table tbody td tfoot th thead title tr tt u ul video wbr`

const auxiliaries = `do does did is are was were has have had could should would might must need`

const currencyWords = `dollar euro pound 元 rupee ruble yen hkd`

// amountWords are those before a decimal that is an amount or a ratio and no
// version.
const amountWords = `of to at by from for is was were are be than about over under only just nearly around approximately almost cost price
	rise rose fall fell up down and or the a an with in rate between score average worth paid pay earn gain lose reach hit near above below
	through on not as some another total plus minus until per each more less top least most gpa ratio index value level mean`

var (
	negationTable   = wordSet(negationWords)
	subjectTable    = wordSet(subjectWords)
	plainTable      = wordSet(plainWords)
	plainVerbTable  = wordSet(plainVerbs)
	verbEndingTable = wordSet(verbEndings)
	doublingTable   = wordSet(doublings)
	doublingVerbSet = wordSet(doublingVerbs)
	tagTable        = wordSet(tagNames)
	auxiliaryTable  = wordSet(auxiliaries)
	currencyTable   = wordSet(currencyWords)
	beforeAmount    = wordSet(amountWords)
	endingTable     = wordSet("s es ed d e ing er ers r rs ly y ies ied ion ions n ns ese")
	romanTable      = wordSet("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi")
)

// irregularForms are rows of the forms of one word that no ending tells.
const irregularForms = `have/has/had be/is/are/was/were/been say/said go/goes/went/gone do/does/did/done get/got/gotten make/made take/took/taken
	give/gave/given see/saw/seen know/knew/known think/thought come/came become/became find/found tell/told leave/left feel/felt bring/brought
	begin/began/begun keep/kept hold/held write/wrote/written stand/stood hear/heard mean/meant meet/met run/ran pay/paid sit/sat speak/spoke/spoken
	lead/led grow/grew/grown lose/lost fall/fell/fallen send/sent build/built understand/understood draw/drew/drawn break/broke/broken spend/spent
	rise/rose/risen drive/drove/driven buy/bought wear/wore/worn choose/chose/chosen seek/sought throw/threw/thrown catch/caught teach/taught
	sell/sold fight/fought eat/ate/eaten fly/flew/flown forget/forgot/forgotten win/won shoot/shot steal/stole/stolen sing/sang/sung strike/struck
	man/men woman/women child/children person/people foot/feet mouse/mice tooth/teeth life/lives wife/wives leaf/leaves half/halves knife/knives`

var irregular = sync.OnceValue(func() *pairs {
	table := newPairs(1 << 8)
	table.add(irregularForms, strings.Clone)
	return table
})

// wordSet returns the set of the words in a text, made when it is first asked for.
func wordSet(words string) func() *set {
	return sync.OnceValue(func() *set {
		list := strings.Fields(words)
		s := &set{map[string]bool{}, newFilter(len(list))}
		for _, w := range list {
			s.words[w] = true
			s.note(w)
		}
		return s
	})
}

// set is a set of words.
type set struct {
	words map[string]bool
	filter
}

func (s *set) has(word string) bool { return s.may(word) && s.words[word] }

// filter says of nearly all words that are not in a table that they are not, by their length and three
// letters: in a nanosecond or two. It is a row of bits.
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

func isEnding(s string) bool     { return s == "" || endingTable().has(s) }
func isNegation(w string) bool   { return negationTable().has(w) }
func isSubject(w string) bool    { return subjectTable().has(w) }
func isPlain(w string) bool      { return plainTable().has(w) }
func isPlainVerb(s string) bool  { return plainVerbTable().has(s) }
func isVerbEnding(s string) bool { return verbEndingTable().has(s) }
func isDoubling(verb, ending string) bool {
	return doublingTable().has(ending) && doublingVerbSet().has(verb)
}
func isTag(s string) bool      { return s != "" && tagTable().has(s) }
func isCurrency(w string) bool { return currencyTable().has(w) }
func isOption(w string) bool   { return len(w) == 1 && 'a' <= w[0] && w[0] <= 'h' }
func isRoman(w string) bool    { return romanTable().has(w) }

// negated returns the word that n't is bound to, of which the apostrophe leaves
// the n: don is do.
func negated(word string) (base string, found bool) {
	switch word {
	case "won":
		return "will", true
	case "can":
		return "can", true
	case "shan":
		return "shall", true
	case "ain":
		return "is", true
	}
	base, found = strings.CutSuffix(word, "n")
	return base, found && auxiliaryTable().has(base)
}

// oppositeWords has rows of words, each the opposite of every other, or another of
// the same class: a direction, a month, a unit. Lines with a + have verbs, to be
// inflected; those with a * double their last letter.
//
//go:embed words/opposites.txt
var oppositeWords string

var oppositeTable = sync.OnceValue(func() *pairs {
	table := newPairs(1 << 11)
	for line := range strings.Lines(oppositeWords) {
		rows, verbs := strings.CutPrefix(line, "+ ")
		for _, inflect := range inflections(verbs) {
			table.add(rows, func(w string) string { return base(inflect(w)) })
		}
	}
	return table
})

// pairs are words with those that they are paired with: most words have none.
type pairs struct {
	words map[string][]string
	filter
}

func newPairs(words int) *pairs { return &pairs{map[string][]string{}, newFilter(words)} }

// of returns those that a word is paired with.
func (p *pairs) of(word string) []string {
	if !p.may(word) {
		return nil
	}
	return p.words[word]
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

// inflections are the forms that words of a line stand for.
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
	return []func(string) string{plain, with("ed"), with("ing")} // the plain one stands for that with -s
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

func areOpposites(x, y string) bool {
	return slices.Contains(oppositeTable().of(base(x)), base(y))
}

// base leaves the ending -s off a word, so that a row is one of its plurals too.
func base(word string) string {
	n := len(word)
	if n < 4 || word[n-1] != 's' || word[n-2] == 's' {
		return word
	}
	for _, ending := range []string{"sses", "shes", "ches", "xes"} {
		if strings.HasSuffix(word, ending) {
			return word[:n-2]
		}
	}
	if stem, found := strings.CutSuffix(word, "ies"); found && n > 4 {
		return stem + "y"
	}
	return word[:n-1]
}
