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
	KindOrder    = "order"    // A beats B against B beats A
)

// Kinds lists the kinds of facts.
func Kinds() []string {
	return []string{KindNumber, KindName, KindNegation, KindOpposite, KindOrder}
}

// Facts are the kinds of facts that are looked at, joined by commas: all of
// Kinds where it is "".
type Facts string

func (f Facts) has(kind string) bool {
	return f == "" || slices.Contains(strings.Split(string(f), ","), kind)
}

// check names the kind that is none.
func (f Facts) check() error {
	for _, kind := range strings.Split(string(f), ",") {
		if f != "" && !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("facts %q: %q is none of %v", f, kind, Kinds())
		}
	}
	return nil
}

// What is a name. The weights say how rare a word is; the lengths, how much
// must surround a difference until it is taken for a slip or a greeting.
const (
	// heavyWord and heavyHan are the least weights of the words of which one
	// in the place of the other is another name. The tables differ in scale.
	heavyWord = 52 * unit / 10
	heavyHan  = 45 * unit / 10
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
	a, b  *View
	facts Facts
	most  int
	title bool // of titles only: a word that comes again is no slip
	found []neardup.Conflict
}

func (j *judge) full() bool { return len(j.found) >= j.most }

func (j *judge) add(kind, a, b string) {
	if !j.full() && j.facts.has(kind) {
		j.found = append(j.found, neardup.Conflict{Kind: kind, A: a, B: b})
	}
}

// slots looks at each place in which the texts differ.
func (j *judge) slots(slots []slot) {
	for _, s := range slots {
		if j.full() {
			return
		}
		j.numbers(s)
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
	case x != "" && y != "", (x != "" || y != "") && (!s.edge || few) && !(j.long() && (isHan(x) || isHan(y))):
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
	var values []string
	for i := range tokens {
		t := &tokens[i]
		values = valuesOf(values[:0], t)
		for _, v := range values {
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
	if t.han {
		return dst
	}
	return codeNumbers(dst, t.text)
}

// hasValue reports whether a number is among the tokens, of the same measure
// where both say one: 10 in October is not 10 cases.
func hasValue(tokens []token, value string, measure rune) bool {
	for i := range tokens {
		t := &tokens[i]
		if t.value == value && (t.measure == measure || t.measure == 0 || measure == 0) {
			return true
		}
		if t.value == "" && !t.han && hasDigit(t.text) {
			if slices.Contains(codeNumbers(nil, t.text), value) {
				return true
			}
		}
	}
	return false
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

// names finds one heavy word in the place of another. Words that the other
// text has elsewhere have moved, and one way to write a word is no other name.
func (j *judge) names(s slot) {
	x, y := exclusive(s.a, j.b), exclusive(s.b, j.a)
	if len(x) == 0 || len(y) == 0 || alike(joined(s.a), joined(s.b)) || initials(s.a, s.b) || initials(s.b, s.a) {
		return
	}
	if s.edge && len(x) <= mostEdge && len(y) <= mostEdge && j.least() >= aroundEdge {
		return
	}
	if j.long() && s.a[0].han && (len(s.a) != 1 || len(s.b) != 1) {
		return // a wrong character cuts what is around it anew
	}
	p, q := j.heaviest(x, y), j.heaviest(y, x)
	if p != nil && q != nil {
		j.add(KindName, p.text, q.text)
	}
}

// long reports whether the texts are long enough to have slips of the pen.
func (j *judge) long() bool { return !j.title && min(j.a.runes, j.b.runes) >= longRunes }

// inserted finds a heavy word by which alone one very short text is longer.
func (j *judge) inserted(s slot) {
	if len(s.a) > 0 && len(s.b) > 0 || j.least() > fewWords {
		return
	}
	// A single Chinese character is a particle more often than a name.
	if p := j.heaviest(exclusive(s.a, j.b), nil); p != nil && (!p.han || utf8.RuneCountInString(p.text) > 1) {
		j.add(KindName, p.text, "")
	}
	if q := j.heaviest(exclusive(s.b, j.a), nil); q != nil && (!q.han || utf8.RuneCountInString(q.text) > 1) {
		j.add(KindName, "", q.text)
	}
}

// exclusive returns the words of a slot that the other text has nowhere.
func exclusive(tokens []token, other *View) []*token {
	var words []*token
	for i := range tokens {
		t := &tokens[i]
		if t.number() || other.has(t.hash) || isNegation(t.text) {
			continue
		}
		words = append(words, t)
	}
	return words
}

func (v *View) has(hash uint64) bool {
	_, found := slices.BinarySearchFunc(v.words, hash, func(w weightedWord, h uint64) int {
		switch {
		case w.hash < h:
			return -1
		case w.hash > h:
			return 1
		}
		return 0
	})
	return found
}

// heaviest returns the heaviest of the words that is heavy enough for a name
// and no other way to write one of others; nil for none.
func (j *judge) heaviest(words, others []*token) *token {
	var best *token
	long, chinese := j.long(), j.chinese()
	for _, t := range words {
		if long && t.han && !t.known {
			continue
		}
		weight, least := t.weight, uint32(heavyWord)
		if t.han {
			if least = heavyHan; j.least() <= fewWords {
				least = fewHan
			}
		}
		if !t.known {
			weight *= 2 // half of it was taken for being unknown
		}
		if !t.han && chinese {
			weight = max(weight, least)
		}
		if weight < least || best != nil && t.weight <= best.weight {
			continue
		}
		if !slices.ContainsFunc(others, func(o *token) bool { return alike(t.text, o.text) || long && t.han && slip(t.text, o.text) }) {
			best = t
		}
	}
	return best
}

func joined(tokens []token) string {
	if len(tokens) == 1 {
		return tokens[0].text
	}
	var b strings.Builder
	for i := range tokens {
		b.WriteString(tokens[i].text)
	}
	return b.String()
}

// alike reports whether two words of an alphabet are one, written in two ways:
// one abbreviates the other, or a letter in four differs.
func alike(x, y string) bool {
	if x == y {
		return true
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 || len(y) > 64 {
		return false
	}
	for _, r := range x {
		if k := class(r); k == classHan || k == classRun {
			return false
		}
	}
	runes := utf8.RuneCountInString(x)
	if strings.HasPrefix(y, x) && (runes == 1 || runes >= 3) {
		return true
	}
	return inflected(x, y) || runes >= 4 && editsAtMost(x, y, max(1, utf8.RuneCountInString(y)/4))
}

// slip reports whether one of two Chinese words may be the other with a wrong
// character: they have one in common, or one is a single character.
func slip(x, y string) bool {
	return utf8.RuneCountInString(x) < 2 || utf8.RuneCountInString(y) < 2 || strings.ContainsAny(x, y)
}

// inflected reports whether two English words have one stem: jumps and jumped.
func inflected(x, y string) bool {
	n := 0
	for n < len(x) && x[n] == y[n] {
		n++
	}
	return n >= 4 && isEnding(x[n:]) && isEnding(y[n:])
}

// initials reports whether a single word of one side is made of the first
// letters of the words of the other: vldb and very large data bases.
func initials(one, many []token) bool {
	if len(one) != 1 || len(many) < 2 || len(one[0].text) != len(many) {
		return false
	}
	for i := range many {
		if many[i].text[0] != one[0].text[i] {
			return false
		}
	}
	return true
}

// editsAtMost reports whether at most most insertions, deletions and
// replacements make y of x. O(len(x)*len(y)); both are words.
func editsAtMost(x, y string, most int) bool {
	a, b := []rune(x), []rune(y)
	if len(b)-len(a) > most {
		return false
	}
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for k, s := range b {
			cost := diagonal
			if r != s {
				cost = 1 + min(diagonal, row[k], row[k+1])
			}
			diagonal, row[k+1] = row[k+1], cost
		}
	}
	return row[len(b)] <= most
}

// whole looks at what no single place tells: a negation more or less, and
// names that have changed their places around a verb.
func (j *judge) whole() {
	if j.full() {
		return
	}
	x, n := negations(j.a.tokens)
	y, m := negations(j.b.tokens)
	if n%2 != m%2 && j.least() < manyWords {
		if n < m {
			x = ""
		} else {
			y = ""
		}
		j.add(KindNegation, x, y)
	}
	j.order()
	j.elsewhere()
}

// elsewhere finds names of a short text that the other one lacks, and names of
// the other that it lacks, wherever they stand.
func (j *judge) elsewhere() {
	if j.full() || j.least() >= aroundEdge || len(j.found) > 0 {
		return
	}
	x, y := exclusive(j.a.tokens, j.b), exclusive(j.b.tokens, j.a)
	if p, q := j.heaviest(x, y), j.heaviest(y, x); p != nil && q != nil && !alike(joined(j.a.tokens), joined(j.b.tokens)) {
		j.add(KindName, p.text, q.text)
	}
}

func negations(tokens []token) (last string, n int) {
	for i := range tokens {
		if isNegation(tokens[i].text) {
			last = tokens[i].text
			n++
		}
	}
	return last, n
}

// order finds two names that have changed their places around a verb with a
// direction.
func (j *judge) order() {
	for i := 1; i+1 < len(j.a.tokens); i++ {
		verb := &j.a.tokens[i]
		if !isDirected(verb.text) {
			continue
		}
		k := slices.IndexFunc(j.b.tokens, func(t token) bool { return t.hash == verb.hash })
		if k < 1 || k+1 >= len(j.b.tokens) {
			continue
		}
		left, right := &j.a.tokens[i-1], &j.a.tokens[i+1]
		if left.hash != right.hash && j.b.tokens[k-1].hash == right.hash && j.b.tokens[k+1].hash == left.hash {
			j.add(KindOrder, left.text+" "+verb.text+" "+right.text, right.text+" "+verb.text+" "+left.text)
			return
		}
	}
}
