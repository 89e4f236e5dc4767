package weighted

import "strings"

// What a clause is: words in a row that the other notice has nowhere. The
// best such row is the one whose words weigh most, less a price for each word
// between them that both have.
const (
	// clauseWeight is what the words of a clause weigh together at least.
	clauseWeight = 12 * unit
	// passageWeight is that of a passage, which is no title, credit, address or
	// place to find more, wherever it stands.
	passageWeight = 30 * unit
	// mostAlone is what all words weigh at least that make a notice another one,
	// in a row or not.
	mostAlone = 50 * unit
	// commonPrice is the price of a word that both texts have.
	commonPrice = 3 * unit / 2
	// aroundClause is how many words of both texts stand before and behind a
	// clause that is no passage.
	aroundClause = 20
	// clauseShown is how many of its words are shown.
	clauseShown = 12
)

// clause returns the beginning of a clause in the middle of a notice, or of a
// passage anywhere, that the other text has not, or where so many of its words are such
// that it is another notice; "" for none. O(n log n); what two texts are called does not
// depend on how they would be aligned.
func (s side) clause(other side) string {
	seen := map[uint64]bool{} // a word counts once
	var best, sum, alone uint64
	from, to, start := 0, 0, 0
	common, left, right := 0, 0, 0 // words of both texts: so far, before the best row, behind it
	before := 0                    // and before the row at hand
	tokens := s.notice.tokens
	for i := range tokens {
		t := &tokens[i]
		if sum == 0 {
			start, before = i, common
		}
		switch {
		case t.path:
		case t.number() || other.says(t.hash):
			common++
			right++
			sum -= min(sum, commonPrice)
		case !seen[t.hash]:
			seen[t.hash] = true
			sum += uint64(t.weight)
			alone += uint64(t.weight)
		}
		if sum > best {
			best, from, to, left, right = sum, start, i+1, before, 0
		}
	}
	inside := min(left, right) >= aroundClause
	if alone < mostAlone && best < passageWeight && !(inside && best >= clauseWeight) {
		return ""
	}
	return shown(tokens[from:to])
}

// shown is the beginning of words in a row.
func shown(tokens []token) string {
	var words []string
	for i := range tokens[:min(len(tokens), clauseShown)] {
		words = append(words, tokens[i].text)
	}
	return strings.Join(words, " ")
}

// What is looked for where two notices differ along their words.
const (
	// mostExchanged is how many words of a notice stand in the place of others at
	// most so that one can be said to stand for its opposite.
	mostExchanged = 4
	// addedWeight is the least weight of a word that one notice adds again and again,
	// timesNamed, where the other has nothing: Library in GNU Library General.
	addedWeight = 4 * unit
)

// notices finds a word of one notice in the place of its opposite in the other,
// a name in the place of another, and a word that one of them adds again and again.
func (j *judge) notices(a, b side, slots []slot) {
	added := map[uint64]int{}
	for _, s := range slots {
		if j.full() {
			return
		}
		if len(s.a) > 0 && len(s.b) > 0 {
			j.exchanged(a, b, s)
			continue
		}
		one := s.a
		if len(one) == 0 {
			one = s.b
		}
		if len(one) > 2 {
			continue
		}
		for i := range one {
			t := &one[i]
			if added[t.hash]++; added[t.hash] == timesNamed && t.weight >= addedWeight && !t.number() && !t.path {
				if len(s.a) > 0 {
					j.add(KindName, t.text, "")
				} else {
					j.add(KindName, "", t.text)
				}
			}
		}
	}
}

// exchanged finds a word in the place of its opposite, or a name inside the text
// in the place of one.
func (j *judge) exchanged(a, b side, s slot) {
	if len(s.a) > mostExchanged || len(s.b) > mostExchanged {
		return
	}
	for i := range s.a {
		for k := range s.b {
			if areOpposites(s.a[i].text, s.b[k].text) && !(isAuxiliary(s.a, i) || isAuxiliary(s.b, k)) {
				j.add(KindOpposite, s.a[i].text, s.b[k].text)
				return
			}
		}
	}
	if x, y := other(s.a, b), other(s.b, a); x != "" && y != "" && !s.edge() {
		j.add(KindName, x, y)
	}
}

// isAuxiliary reports whether tokens[i] is the verb of a negation that was cut at
// its apostrophe: can't is cannot.
func isAuxiliary(tokens []token, i int) bool { return i+1 < len(tokens) && tokens[i+1].text == "t" }

// other returns the first name among tokens that the other text has in no spelling.
func other(tokens []token, of side) string {
	for i := range tokens {
		if t := &tokens[i]; t.isName() && !of.says(t.hash) && !of.spells(t.text) {
			return t.text
		}
	}
	return ""
}
