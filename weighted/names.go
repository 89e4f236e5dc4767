package weighted

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// names finds one heavy word in the place of another. Words that the other
// text has elsewhere have moved, and one way to write a word is no other name.
func (j *judge) names(s slot) {
	x, y := exclusive(s.a, j.b), exclusive(s.b, j.a)
	if j.model(s) {
		j.add(KindName, s.a[0].text, s.b[0].text)
		return
	}
	if len(x) == 0 || len(y) == 0 || j.alike(joined(s.a), joined(s.b)) || initials(s.a, s.b) || initials(s.b, s.a) {
		return
	}
	least := aroundEdge
	if j.chinese() {
		least = edgeChinese
	}
	if s.edge() && telling(x) <= mostEdge && telling(y) <= mostEdge && j.least() >= least {
		return
	}
	if !s.front && len(s.a) == 1 && len(s.b) == 1 && j.least() < aroundEdge && telling(x) == 1 && telling(y) == 1 &&
		!s.a[0].han && !s.b[0].han && !alike(s.a[0].text, s.b[0].text) && !isJoining(s.a[0].text) && !isJoining(s.b[0].text) {
		j.add(KindName, s.a[0].text, s.b[0].text)
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

// telling counts the words that are not as light as the and is.
func telling(words []*token) (n int) {
	for _, t := range words {
		if t.weight >= lightWord {
			n++
		}
	}
	return n
}

// model reports whether a number of a Chinese text stands in the place of the
// name of a model with the same number, as 15 and 15ultra.
func (j *judge) model(s slot) bool {
	if !j.chinese() || len(s.a) != 1 || len(s.b) != 1 || s.a[0].number() == s.b[0].number() {
		return false
	}
	number, name := &s.a[0], &s.b[0]
	if name.number() {
		number, name = name, number
	}
	return !name.han && slices.Contains(codeNumbers(nil, name.text), number.value)
}

// alike is the function alike, but that among Chinese words what has digits is
// the name of a model, of a season or of a team, and never abbreviated.
func (j *judge) alike(x, y string) bool {
	return alike(x, y) && (x == y || !j.chinese() || !hasDigit(x) && !hasDigit(y))
}

// inserted finds what one very short text says more: a heavy word alone, or, but
// at its beginning where greetings stand, light words that weigh enough together.
func (j *judge) inserted(s slot) {
	if len(s.a) > 0 && len(s.b) > 0 || j.least() >= aroundEdge {
		return
	}
	x, y := noLabels(exclusive(s.a, j.b), j.a.tokens), noLabels(exclusive(s.b, j.a), j.b.tokens)
	if j.least() <= fewWords {
		if p := j.heaviest(noParticles(x), nil); p != nil {
			j.add(KindMore, p.text, "")
		}
		if q := j.heaviest(noParticles(y), nil); q != nil {
			j.add(KindMore, "", q.text)
		}
	}
	if j.least() <= barest {
		if p := telltale(x); p != "" {
			j.add(KindMore, p, "")
		}
		if q := telltale(y); q != "" {
			j.add(KindMore, "", q)
		}
	}
	if s.front || j.a.chinese || j.b.chinese {
		return
	}
	p, q := j.exclusive()
	x, y = notHeld(x, q), notHeld(y, p)
	if p, sum := together(x, false); sum >= mostInserted {
		j.add(KindMore, p, "")
	} else if q, sum := together(y, false); sum >= mostInserted {
		j.add(KindMore, "", q)
	}
}

// telltale returns the first of the words that makes another thing of a text of one
// or two words: a single Chinese character that is no filler, hard or torn.
func telltale(words []*token) string {
	for _, t := range words {
		if t.han && t.weight >= barestHan && utf8.RuneCountInString(t.text) == 1 && !isFiller(t.text) {
			return t.text
		}
	}
	return ""
}

// noParticles leaves out what is a single Chinese character, a particle more
// often than a name, and vs, which says no more than a blank.
func noParticles(words []*token) []*token {
	var kept []*token
	for _, t := range words {
		if !isVersus(t.text) && (!t.han || utf8.RuneCountInString(t.text) > 1) {
			kept = append(kept, t)
		}
	}
	return kept
}

// noLabels leaves out what a text begins or ends with that is no part of what it
// says: greetings, thanks, who brought it, and tags.
func noLabels(words []*token, text []token) []*token {
	from, to := 0, len(text)
	for from < to && (text[from].tag || isHead(text[from].text)) {
		from++
	}
	for to > from && (text[to-1].tag || isFoot(text[to-1].text)) {
		to--
	}
	return slices.DeleteFunc(words, func(t *token) bool { return !contains(text[from:to], t.hash) })
}

// exclusive returns the words of a slot that the other text has nowhere.
func exclusive(tokens []token, other *opened) []*token {
	var words []*token
	for i := range tokens {
		t := &tokens[i]
		if t.number() || other.has(t.hash) || isNegation(t.text) || isMasked(t.text) || isSign(t.text) {
			continue
		}
		words = append(words, t)
	}
	return words
}

// exclusive returns the words of either text that the other one has nowhere.
func (j *judge) exclusive() (x, y []*token) {
	return noLabels(exclusive(j.a.tokens, j.b), j.a.tokens), noLabels(exclusive(j.b.tokens, j.a), j.b.tokens)
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
		if weight < least || best != nil && t.weight <= best.weight || covered(t, others) {
			continue
		}
		if !slices.ContainsFunc(others, func(o *token) bool {
			return j.alike(t.text, o.text) || t.han && (holds(t.text, o.text) || long && slip(t.text, o.text))
		}) {
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
	if len(x) == 0 || len(y) > longestWord {
		return false
	}
	runes, letters := 0, uint64(0)
	for _, r := range x {
		if k := class(r); k == classHan || k == classRun {
			return false
		}
		runes++
		letters |= 1 << (r & 63)
	}
	if strings.HasPrefix(y, x) && (runes == 1 || runes >= 3) || inflected(x, y) {
		return true
	}
	if runes < 4 {
		return false
	}
	most, others := 0, uint64(0)
	for _, r := range y {
		most++
		others |= 1 << (r & 63)
	}
	most = max(1, most/4)
	// An edit puts in, or takes away, one letter at most.
	return max(bits.OnesCount64(letters&^others), bits.OnesCount64(others&^letters)) <= most && editsAtMost(x, y, most)
}

// longestWord is the length in bytes of the longest words that are compared
// letter by letter.
const longestWord = 64

// holds reports whether one of two Chinese words holds the other: 季 and 季节,
// or a word that was cut in another place.
func holds(x, y string) bool { return strings.Contains(x, y) || strings.Contains(y, x) }

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
// replacements make y of x, which is no longer. O(len(x)*len(y)); both are words.
func editsAtMost(x, y string, most int) bool {
	var runes [2][longestWord]rune
	a, b := appendRunes(runes[0][:0], x), appendRunes(runes[1][:0], y)
	if len(b)-len(a) > most {
		return false
	}
	var memory [longestWord + 1]int
	row := memory[:len(b)+1]
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

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

// elsewhere finds opposites and names of a short text that the other one lacks,
// and of the other that it lacks, wherever they stand.
func (j *judge) elsewhere() {
	if j.full() || j.least() >= aroundEdge || len(j.found) > 0 {
		return
	}
	x, y := j.exclusive()
	for _, p := range x {
		for _, q := range y {
			if areOpposites(p.text, q.text) {
				j.add(KindOpposite, p.text, q.text)
				return
			}
		}
	}
	if p, q := j.heaviest(x, y), j.heaviest(y, x); p != nil && q != nil && !j.alike(joined(j.a.tokens), joined(j.b.tokens)) {
		j.add(KindName, p.text, q.text)
	}
}

// more finds that one short Chinese text says one thing more: the words that
// the other one has nowhere weigh that much together.
func (j *judge) more() {
	if j.full() || !j.chinese() || j.least() >= fewChinese || len(j.found) > 0 {
		return
	}
	x, y := j.exclusive()
	if p, sum := together(notHeld(x, y), true); sum >= mostMore {
		j.add(KindMore, p, "")
	} else if q, sum := together(notHeld(y, x), true); sum >= mostMore {
		j.add(KindMore, "", q)
	}
}

// notHeld leaves out the words that the others say in other words: 发射 and 成功
// say nothing more than 发射成功, 到达 little more than 到, and discovered no more
// than discover.
func notHeld(words, others []*token) []*token {
	return slices.DeleteFunc(slices.Clone(words), func(t *token) bool {
		if !t.han {
			return slices.ContainsFunc(others, func(o *token) bool { return alike(t.text, o.text) })
		}
		return covered(t, others) || utf8.RuneCountInString(t.text) == 2 && slices.ContainsFunc(others, func(o *token) bool {
			return o.han && strings.Contains(t.text, o.text)
		})
	})
}

// covered reports whether a Chinese word is part of one of the others, or every
// character of it is in shorter ones: it was cut in another place.
func covered(t *token, others []*token) bool {
	if !t.han || slices.ContainsFunc(others, func(o *token) bool { return o.han && strings.Contains(o.text, t.text) }) {
		return t.han
	}
	for _, r := range t.text {
		if !slices.ContainsFunc(others, func(o *token) bool {
			return o.han && len(o.text) < len(t.text) && strings.ContainsRune(o.text, r)
		}) {
			return false
		}
	}
	return true
}

// together returns the heaviest of the words, and what all of them weigh, each
// counted once.
func together(words []*token, chinese bool) (heaviest string, sum uint32) {
	most := uint32(0)
	for i, t := range words {
		if slices.ContainsFunc(words[:i], func(o *token) bool { return o.hash == t.hash }) {
			continue
		}
		weight := t.weight
		if chinese && !t.known {
			weight *= 2 // half of it was taken for being unknown
		}
		if sum += weight; weight > most {
			heaviest, most = t.text, weight
		}
	}
	return heaviest, sum
}
