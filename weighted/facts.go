package weighted

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
)

// Kinds of facts that can conflict.
const (
	KindNumber   = "number"   // numbers, dates, amounts, digits in codes, numerals
	KindName     = "name"     // one heavy word in the place of another
	KindNegation = "negation" // one text says not, the other does not
	KindOpposite = "opposite" // one word in the place of its opposite
	KindOrder    = "order"    // A beats B against B beats A, or the score of a match reversed
	KindMore     = "more"     // one very short text says one thing more
	KindStance   = "stance"   // one text says who answers, denies or doubts it
	KindKeyword  = "keyword"  // another word to be texted to a number
)

// Kinds lists the kinds of facts.
func Kinds() []string {
	return []string{KindNumber, KindName, KindNegation, KindOpposite, KindOrder, KindMore, KindStance, KindKeyword}
}

// Facts are the kinds of facts that are looked at, joined by commas: all of
// Kinds where it is "", and all but some where these have a minus before them.
type Facts string

// kinds returns what is looked at, or an error that names the kind that is none.
func (f Facts) kinds() ([]string, error) {
	if f == "" {
		return Kinds(), nil
	}
	var kinds, without []string
	for _, name := range strings.Split(string(f), ",") {
		kind, minus := strings.CutPrefix(name, "-")
		if !slices.Contains(Kinds(), kind) {
			return nil, fmt.Errorf("facts %q: %q is none of %v", f, kind, Kinds())
		}
		if minus {
			without = append(without, kind)
		} else {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 0 && len(without) > 0 {
		return nil, fmt.Errorf("facts %q: kinds with and without a minus", f)
	}
	if len(without) > 0 {
		kinds = slices.DeleteFunc(Kinds(), func(kind string) bool { return slices.Contains(without, kind) })
	}
	return kinds, nil
}

// What is a name. The weights say how rare a word is; the lengths, how much
// must surround a difference until it is taken for a slip or a greeting.
const (
	// heavyWord and heavyHan are the least weights of the words of which one
	// in the place of the other is another name. The tables differ in scale.
	heavyWord = 52 * unit / 10
	heavyHan  = 45 * unit / 10
	// lightWord is more than words weigh that every text has.
	lightWord = 2 * unit
	// fewHan is heavyHan in texts of few words, of which each tells more.
	fewHan = 3 * unit
	// longRunes is the length of either text from which on Chinese that the
	// tables lack is taken for a slip of the pen rather than a name: a wrong
	// character makes such words.
	longRunes = 60
	// manyWords is the number of words of either text from which on a
	// negation more or less proves nothing.
	manyWords = 60
	// fewWords is up to how many words of the shorter text a heavy word more
	// in the other one makes it another thing: a show, and news about it.
	fewWords = 5
	// barest is up to how many words of the shorter text a single character more in
	// the other one makes it another thing, if it weighs barestHan.
	barest    = 2
	barestHan = 11 * unit / 2
	// fewChinese is from how many words of the shorter text on a Chinese one
	// may say some more, and mostMore what the words weigh together that say
	// one thing more.
	fewChinese = 12
	mostMore   = 9 * unit
	// mostInserted is what words of an alphabet weigh together that say one
	// thing more in the middle or at the end of a very short text.
	mostInserted = 11 * unit / 2
	// aroundStance is from how many words of the shorter text on it does not
	// matter whether it says who says so.
	aroundStance = 20
	// edgeChinese is aroundEdge of Chinese, where the first words are what a
	// text is about and not a greeting.
	edgeChinese = 20
	// aroundEdge is how many words both texts have at least where a few
	// words in the place of others at the very beginning or end are an
	// address, a greeting or a signature; mostEdge is how many.
	aroundEdge = 10
	mostEdge   = 3
	// mostSlot is how many words stand in the place of others at most so
	// that one can be said to stand for another.
	mostSlot = 12
	// mostTokens bounds the texts whose facts are looked at: long ones are
	// editions of a document, which differ in facts.
	mostTokens = 1024
)

// judge collects conflicts between two texts.
type judge struct {
	a, b  *opened
	facts []string // the kinds that are looked at
	most  int
	title bool // of titles only: a word that comes again is no slip
	found []neardup.Conflict
}

func (j *judge) full() bool { return len(j.found) >= j.most }

func (j *judge) add(kind, a, b string) {
	c := neardup.Conflict{Kind: kind, A: a, B: b}
	if !j.full() && slices.Contains(j.facts, kind) && !slices.Contains(j.found, c) {
		j.found = append(j.found, c)
	}
}

// slots looks at each place in which the texts differ. Where any fact will do,
// at the numbers of all first: they cost least and tell most.
func (j *judge) slots(slots []slot) {
	any := j.most == 1
	for i := 0; any && i < len(slots) && !j.full(); i++ {
		j.numbers(slots[i])
	}
	for _, s := range slots {
		if j.full() {
			return
		}
		if !any {
			j.numbers(s)
		}
		j.inserted(s)
		if len(s.a) > 0 && len(s.b) > 0 && len(s.a) <= mostSlot && len(s.b) <= mostSlot {
			j.opposites(s)
			j.names(s)
		}
	}
}

// numbers finds a number in the place of another one, or one that stands
// inside one text only: the other text does not state it at all. At the
// beginning and the end a number may come with a greeting or a footer.
func (j *judge) numbers(s slot) {
	x, y := lacking(s.a, j.b.tokens), lacking(s.b, j.a.tokens)
	// In a very short text nothing is a footer, and in a short one what stands
	// in the place of something else is none.
	few := j.least() <= fewWords || j.least() < aroundEdge && (j.chinese() || len(s.a) > 0 && len(s.b) > 0)
	switch {
	case x == "" && y == "":
	case x != "" && y != "", (!s.edge() || few) && !(j.long() && (isHan(x) || isHan(y))),
		isCode(x) && !hasCode(j.b.tokens), isCode(y) && !hasCode(j.a.tokens):
		j.add(KindNumber, x, y)
	}
}

// least is the number of words of the shorter text.
func (j *judge) least() int { return min(len(j.a.tokens), len(j.b.tokens)) }

// chinese reports whether both texts have Chinese words: what is written in
// letters between them is a name, however common the word is in English.
func (j *judge) chinese() bool { return j.a.chinese && j.b.chinese }

// lacking returns the first of the tokens with a number that other has not,
// as it stands in the text.
func lacking(tokens, other []token) string {
	var memory [4]string
	for i := range tokens {
		t := &tokens[i]
		for _, v := range valuesOf(memory[:0], t) {
			if !hasValue(other, v, t.measure) {
				return t.text
			}
		}
	}
	return ""
}

// valuesOf appends the numbers in a token: its own, or the digits in a code.
func valuesOf(dst []string, t *token) []string {
	if t.number() {
		return append(dst, t.value)
	}
	if !t.coded || isMasked(t.text) {
		return dst
	}
	return codeNumbers(dst, t.text)
}

// isMasked reports whether a word is a number with its digits put out, 0796xxxxxx,
// which is no other than the number it may stand for.
func isMasked(word string) bool {
	return hasDigit(word) && strings.Contains(word, "xx") && strings.Trim(word, "0123456789x") == ""
}

// hasValue reports whether a number is among the tokens, of the same measure
// where both say one: 10 in October is not 10 cases.
func hasValue(tokens []token, value string, measure rune) bool {
	for i := range tokens {
		t := &tokens[i]
		if t.value == value && (t.measure == measure || t.measure == 0 || measure == 0) {
			return true
		}
		if t.coded && slices.Contains(codeNumbers(nil, t.text), value) {
			return true
		}
	}
	return false
}

// amountAt returns where a number stands that is the same and counts what is
// asked for, -1 for nowhere.
func amountAt(tokens []token, number *token, counts func(measure rune) bool) int {
	return slices.IndexFunc(tokens, func(t token) bool { return t.value == number.value && counts(t.measure) })
}

// mostPlain is how many digits a number has at most that is no telephone number,
// account or code.
const mostPlain = 4

// isCode reports whether a word has that many digits that it is what the text
// is about: the only telephone number of a text is no footer.
func isCode(word string) bool { return digits(word) > mostPlain }

// hasCode reports whether one of the words is a code, of four digits too if it
// is no round sum.
func hasCode(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool {
		n := digits(t.text)
		return !t.han && (n > mostPlain || n == mostPlain && !strings.HasSuffix(t.value, "00"))
	})
}

func digits(word string) (n int) {
	for i := range len(word) {
		if isDigit(word[i]) {
			n++
		}
	}
	return n
}

func isHan(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return class(r) == classHan
}

func hasDigit(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return '0' <= r && r <= '9' }) >= 0
}

// opposites finds a word in the place of its opposite, a roman numeral in the
// place of another, and a letter that names one of several things.
func (j *judge) opposites(s slot) {
	for i := range s.a {
		for k := range s.b {
			x, y := s.a[i].text, s.b[k].text
			switch {
			case areOpposites(x, y):
				j.add(KindOpposite, x, y)
			case x != y && isRoman(x) && isRoman(y), len(s.a) == 1 && len(s.b) == 1 && isOption(x) && isOption(y):
				j.add(KindNumber, x, y)
			}
		}
	}
}

// whole looks at what no single place tells: a negation more or less, and
// names that have changed their places around a verb.
func (j *judge) whole() {
	if j.full() {
		return
	}
	x, n := negations(j.a.tokens)
	y, m := negations(j.b.tokens)
	if (n%2 != m%2 || (n == 0) != (m == 0)) && j.least() < manyWords {
		if n < m {
			x = ""
		} else {
			y = ""
		}
		j.add(KindNegation, x, y)
	}
	j.currency()
	j.order()
	j.stance()
	j.keyword()
	j.elsewhere()
	j.more()
}

// currency finds an amount that is one of another currency in the other text.
func (j *judge) currency() {
	for i := range j.a.tokens {
		x := &j.a.tokens[i]
		if !isCurrency(x.measure) || amountAt(j.b.tokens, x, func(m rune) bool { return m == x.measure || !isCurrency(m) }) >= 0 {
			continue
		}
		if k := amountAt(j.b.tokens, x, isCurrency); k >= 0 {
			j.add(KindNumber, string(x.measure)+x.text, string(j.b.tokens[k].measure)+j.b.tokens[k].text)
		}
	}
}

// stance finds that one text says who answers, denies or doubts what the other
// one states.
func (j *judge) stance() {
	if j.least() >= aroundStance {
		return
	}
	x, y := stanceOf(j.a.tokens), stanceOf(j.b.tokens)
	if (x == "") != (y == "") {
		j.add(KindStance, x, y)
	}
}

func stanceOf(tokens []token) string {
	for i := range tokens {
		if isStance(tokens[i].text) {
			return tokens[i].text
		}
	}
	return ""
}

// keyword finds another word to be texted to one number, which orders another
// thing: text SHOP to 85023.
func (j *judge) keyword() {
	for i := range j.a.tokens {
		x, number := keywordAt(j.a.tokens, i)
		if x == nil {
			continue
		}
		for k := range j.b.tokens {
			if y, other := keywordAt(j.b.tokens, k); y != nil && number == other {
				if !alike(x.text, y.text) {
					j.add(KindKeyword, x.text, y.text)
				}
				return
			}
		}
	}
}

// keywordAt returns the word at tokens[i] and the number it is to be texted to,
// nil if it is no such word: text YES to 85023, txt COLLECT to No: 83355.
func keywordAt(tokens []token, i int) (word *token, number string) {
	to := i + 1
	if to+1 >= len(tokens) || tokens[to].text != "to" {
		return nil, ""
	}
	if to++; tokens[to].text == "no" && to+1 < len(tokens) {
		to++
	}
	if !tokens[to].number() || !isCode(tokens[to].text) {
		return nil, ""
	}
	for k := max(0, i-3); k < i; k++ {
		if isTexting(tokens[k].text) {
			return &tokens[i], tokens[to].value
		}
	}
	return nil, ""
}

func negations(tokens []token) (last string, n int) {
	for i := range tokens {
		if isNegation(tokens[i].text) || i > 0 && tokens[i].text == "t" && isContracted(tokens[i-1].text) {
			last = tokens[i].text
			n++
		}
	}
	return last, n
}
