package evidence

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup/token"
)

// Feature is a quantity of a pair that is evidence for or against equal meaning. All features are symmetric.
type Feature int

// The features of a pair. A word weighs its idf in bits.
const (
	Bias        Feature = iota
	Coverage            // in bits: log2 of the ratio of what the less covered text shares with the other to what it does not share; at most 4
	Number              // numbers, codes, units and signs that are replaced, per hunk
	Replacement         // in bits: the heaviest replacement of a word by another, per hunk
	Opposite            // replacements of a word by its opposite, and negations that only one text has, per hunk
	Insertion           // in percent of the heavier text: the heaviest passage that only one text has, or all rewritten passages if these weigh more
	Length              // log2 of the number of words of the shorter text
	features
)

var featureNames = [features]string{"bias", "coverage", "number", "replacement", "opposite", "insertion", "length"}

// String returns the feature's name in a table of weights.
func (f Feature) String() string { return featureNames[f] }

// Features lists all features in the order of a table of weights.
func Features() []Feature {
	all := make([]Feature, features)
	for i := range all {
		all[i] = Feature(i)
	}
	return all
}

// replaces reports whether the feature measures replacements of words.
func (f Feature) replaces() bool { return f == Number || f == Replacement || f == Opposite }

// Vector holds the value of each feature in units of 1/Unit.
type Vector [features]int32

// tokenHunk is a difference of two texts. It holds the differing words of both, and one of the two may be empty.
type tokenHunk struct {
	a, b          []token.Token
	before, after uint64 // the words around the hunk, which both texts have; 0 if there is none
}

// comparison collects the differences of two texts. It reuses its memory.
type comparison struct {
	hunks     []tokenHunk
	opened    [2]token.Opened
	unmatched [2][]unmatched
	byHash    hashTable // index of the unmatched tokens of the second text
	rest      [2][]*unmatched
	facts     [2][]*unmatched // for each text: numbers and codes that the other text lacks
	replaced  []replacement
	found     []Evidence
	letters   letters
	negations [2]int
	ends      [2]string // the marks that end the texts, if they differ
}

// unmatched is a token of a hunk that the other text lacks.
type unmatched struct {
	*token.Token
	before, after uint64 // the neighbouring words
	hunk          int
	next          int32 // the next token with this word, plus 1, or 0
	used          bool  // it was paired with a word of the other text
	passage       bool  // it belongs to a passage that only its text has
}

// sharesNeighbour reports whether two tokens have a common neighbour.
func (e *unmatched) sharesNeighbour(o *unmatched) bool {
	return (e.before == o.before && e.before != 0) || (e.after == o.after && e.after != 0)
}

// replacement is a word that replaces another.
type replacement struct {
	a, b   uint64
	weight uint32
}

// sums holds the counted differences of two texts.
type sums struct {
	total     [2]uint64 // for each text: weight of all words
	lacking   [2]uint64 // for each text: weight of the words that the other lacks
	count     int       // number of words of the shorter text
	numbers   int
	opposites int
	insertion uint64 // weight of the heaviest passage that only one text has
	rewritten uint64 // weight of all passages that replace others
	inserted  [2]uint64
	heaviest  int64 // of all replacements, the largest weight times count times log2(1 + count)
	hunks     int   // number of hunks
}

// nameWeight returns the weight of a word as a name. The lexicon halves the weight of unknown words, because they may be
// typing errors; nameWeight restores it.
func nameWeight(t *token.Token) uint32 {
	if !t.Known {
		return min(2*t.Weight, token.MostWeight)
	}
	return t.Weight
}

const (
	mostFew      = 4  // extra words up to this number are not a passage, so a negation among them counts
	mostReplaced = 24 // most words of a hunk whose words are paired one by one
)

// measure computes s from the hunks.
func (p *comparison) measure(s *sums) {
	p.found, p.replaced = p.found[:0], p.replaced[:0]
	p.facts[0], p.facts[1] = p.facts[0][:0], p.facts[1][:0]
	p.unmatched[0], p.unmatched[1] = p.unmatched[0][:0], p.unmatched[1][:0]
	p.negations, p.ends = [2]int{}, [2]string{}
	for i := range p.hunks {
		for side, tokens := range [2][]token.Token{p.hunks[i].a, p.hunks[i].b} {
			for k := range tokens {
				if tokens[k].Kind == token.End {
					p.ends[side] = tokens[k].Written
					continue
				}
				e := unmatched{Token: &tokens[k], hunk: i, before: p.hunks[i].before, after: p.hunks[i].after}
				if k > 0 {
					e.before = tokens[k-1].Hash
				}
				if k+1 < len(tokens) {
					e.after = tokens[k+1].Hash
				}
				p.unmatched[side] = append(p.unmatched[side], e)
			}
		}
	}
	p.matchMoved()
	a, b := p.unmatched[0], p.unmatched[1]
	for hunk := range p.hunks {
		p.rest[0], p.rest[1] = p.rest[0][:0], p.rest[1][:0]
		a, b = p.unmatchedIn(0, hunk, a), p.unmatchedIn(1, hunk, b)
		if len(p.rest[0])+len(p.rest[1]) > 0 {
			s.hunks++
			p.measureHunk(s)
		}
	}
	p.unpaired(s)
	p.weighReplacements(s)
}

// unmatchedIn collects the tokens of a hunk that matchMoved left over. list begins with the tokens of the hunk. It returns
// the tokens of later hunks.
func (p *comparison) unmatchedIn(side, hunk int, list []unmatched) []unmatched {
	n := 0
	for ; n < len(list) && list[n].hunk == hunk; n++ {
		if !list[n].used {
			p.rest[side] = append(p.rest[side], &list[n])
		}
	}
	return list[n:]
}

// matchMoved pairs a word with the same word in another hunk, the first with the first and so on. A number also needs the
// same neighbour, and so does a word of a rewritten passage, because two long passages have many words in common.
func (p *comparison) matchMoved() {
	a, b := p.unmatched[0], p.unmatched[1]
	if len(a) == 0 || len(b) == 0 {
		return
	}
	p.byHash.reset(len(b))
	for i := len(b) - 1; i >= 0; i-- {
		e, _ := p.byHash.at(b[i].Hash)
		b[i].next = e.a
		e.a = int32(i) + 1 // the first one with this word so far
		e.b = 1
	}
	for i := range a {
		e := p.byHash.find(a[i].Hash)
		if e == nil || e.a == 0 {
			continue
		}
		x, y := &a[i], &b[e.a-1]
		number := x.Fact() && x.Kind != token.Measure
		needsNeighbour := number || p.rewritten(x) || p.rewritten(y)
		if (needsNeighbour && !x.sharesNeighbour(y)) || p.exchanged(x, y) {
			continue
		}
		e.a = y.next
		x.used, y.used = true, true
	}
}

// rewritten reports whether a word is in a hunk that has too many words to pair them one by one.
func (p *comparison) rewritten(e *unmatched) bool {
	h := &p.hunks[e.hunk]
	return max(len(h.a), len(h.b)) > mostReplaced
}

// exchanged reports whether two words have exchanged places.
func (p *comparison) exchanged(x, y *unmatched) bool {
	here, there := &p.hunks[x.hunk], &p.hunks[y.hunk]
	return len(here.a) == 1 && len(here.b) == 1 && len(there.a) == 1 && len(there.b) == 1 && here.b[0].Hash == there.a[0].Hash
}

// measureHunk weighs the rest of a hunk: similar letters, facts, opposites, and replaced words.
func (p *comparison) measureHunk(s *sums) {
	a, b := p.rest[0], p.rest[1]
	weight, negations, facts := [2]uint64{}, [2]int{}, false
	for side, list := range p.rest {
		for _, e := range list {
			weight[side] += uint64(e.Weight)
			facts = facts || e.Fact()
			e.passage = len(list)-len(p.rest[1-side]) > mostFew
			if e.Denies && !e.passage {
				negations[side]++
			}
		}
	}
	apart := token.Unit - p.letters.likeness(a, b, facts)
	if apart == 0 {
		return
	}
	p.negations[0] += negations[0]
	p.negations[1] += negations[1]
	if len(a) == 0 || len(b) == 0 {
		p.addInsertion(s, weight)
		return
	}
	for side := range weight {
		s.lacking[side] += weight[side] * apart / token.Unit
	}
	if len(a) > mostReplaced || len(b) > mostReplaced {
		s.rewritten += max(weight[0], weight[1]) * apart / token.Unit
		for side, list := range p.rest {
			if e := heaviest(list); e != nil {
				p.addMore(side, e)
			}
		}
		return
	}
	if facts {
		p.replaceFacts(s)
	}
	p.findOpposites(s)
	p.replaceWords(apart)
}

// addInsertion counts a hunk in which only one text has words.
func (p *comparison) addInsertion(s *sums, weight [2]uint64) {
	for side, list := range p.rest {
		s.lacking[side] += weight[side]
		s.inserted[side] += weight[side]
		for _, e := range list {
			if e.Fact() {
				p.facts[side] = append(p.facts[side], e)
			}
			p.addMore(side, e)
		}
	}
	s.insertion = max(s.insertion, weight[0]+weight[1])
}

// addMore adds a word that the other text lacks as evidence.
func (p *comparison) addMore(side int, e *unmatched) {
	words := [2]string{}
	words[side] = e.Written
	p.add(Insertion, words[0], words[1], int32(e.Weight))
}

// replaceFacts pairs the facts of a hunk with those of the other text.
func (p *comparison) replaceFacts(s *sums) {
	b := p.rest[1]
	for _, x := range p.rest[0] {
		for x.Fact() && !x.used && len(b) > 0 {
			if y := b[0]; y.Fact() {
				x.used, y.used = true, true
				s.addNumber(p, x.Written, y.Written)
			}
			b = b[1:]
		}
	}
	for side, list := range p.rest {
		for _, e := range list {
			if e.Fact() && !e.used {
				p.facts[side] = append(p.facts[side], e)
			}
		}
	}
}

// addNumber counts a fact, sign or mark that replaces another.
func (s *sums) addNumber(p *comparison, x, y string) {
	s.numbers++
	p.add(Number, x, y, token.Unit)
}

// unpaired counts the facts that only one text has, anywhere in it. It counts each extra sign, because a sign changes the
// meaning even if it replaces nothing. Finally it counts negations.
func (p *comparison) unpaired(s *sums) {
	x, y := p.facts[0], p.facts[1]
	for side, list := range p.facts {
		for _, e := range list {
			if e.Kind == token.Sign && !e.passage {
				words := [2]string{}
				words[side] = e.Written
				s.addNumber(p, words[0], words[1])
			}
		}
	}
	isSign := func(e *unmatched) bool { return e.Kind == token.Sign }
	x, y = slices.DeleteFunc(x, isSign), slices.DeleteFunc(y, isSign)
	for i := range min(len(x), len(y)) {
		s.addNumber(p, x[i].Written, y[i].Written)
	}
	if p.ends[0] != "" && p.ends[1] != "" {
		s.addNumber(p, p.ends[0], p.ends[1])
	}
	if p.negations[0] != p.negations[1] {
		s.opposites++
		p.add(Opposite, "", "", token.Unit)
	}
}

// findOpposites counts the words of a hunk that are replaced by their opposite.
func (p *comparison) findOpposites(s *sums) {
	for _, x := range p.rest[0] {
		for _, y := range p.rest[1] {
			if !x.used && !y.used && token.Opposites(x.Token, y.Token) {
				x.used, y.used = true, true
				s.opposites++
				p.add(Opposite, x.Written, y.Written, token.Unit)
			}
		}
	}
}

// replaceWords pairs the heaviest words of one side of a hunk with the heaviest of the other side, until one side has none
// left. If one side has many more words, the hunk is an insertion rather than a replacement, so it counts less.
func (p *comparison) replaceWords(apart uint64) {
	a, b := p.rest[0], p.rest[1]
	n, m := unused(a), unused(b)
	for {
		x, y := heaviest(a), heaviest(b)
		if x == nil || y == nil {
			return
		}
		x.used, y.used = true, true
		weight := min(nameWeight(x.Token), nameWeight(y.Token))
		weight = uint32(uint64(2*weight*uint32(min(n, m))/uint32(n+m)) * apart / token.Unit)
		p.add(Replacement, x.Written, y.Written, int32(weight))
		p.replaced = append(p.replaced, replacement{x.Hash, y.Hash, weight})
	}
}

// unused counts the words of a list that were not paired.
func unused(list []*unmatched) (n int) {
	for _, e := range list {
		if !e.used && e.Kind != token.Number {
			n++
		}
	}
	return n
}

func heaviest(list []*unmatched) *unmatched {
	var best *unmatched
	for _, e := range list {
		if !e.used && e.Kind != token.Number && (best == nil || nameWeight(e.Token) > nameWeight(best.Token)) {
			best = e
		}
	}
	return best
}

// weighReplacements finds the heaviest replacement of a word by another. If it occurs n times, it counts n * log2(1 + n)
// times its weight, because two texts that differ in a name throughout are about different things.
func (p *comparison) weighReplacements(s *sums) {
	slices.SortFunc(p.replaced, func(x, y replacement) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	for i := 0; i < len(p.replaced); {
		j, weight := i, uint32(0)
		for ; j < len(p.replaced) && p.replaced[j].a == p.replaced[i].a && p.replaced[j].b == p.replaced[i].b; j++ {
			weight = max(weight, p.replaced[j].weight)
		}
		s.heaviest = max(s.heaviest, int64(j-i)*int64(log2(uint64(1+j-i)*token.Unit))/token.Unit*int64(weight))
		i = j
	}
}

// mostCoverage ends at sixteen to one, so that a fact counts the same in a text of any length. A word that is replaced
// throughout, such as a spelling, counts at most as one heavy name.
const (
	mostCoverage    = 4 * token.Unit
	mostReplacement = 8 * token.Unit
)

// vector returns the features of the sums.
func (s *sums) vector() (v Vector) {
	hunks := int64(max(1, s.hunks))
	v[Bias] = token.Unit
	v[Coverage] = min(logit(s.total[0], s.lacking[0]), logit(s.total[1], s.lacking[1]), mostCoverage)
	v[Number] = int32(min(int64(s.numbers), hunks) * token.Unit / hunks)
	v[Replacement] = int32(min(s.heaviest/hunks, mostReplacement))
	v[Opposite] = int32(min(int64(s.opposites), hunks) * token.Unit / hunks)
	v[Insertion] = int32(100 * token.Unit * max(s.insertion, s.rewritten) / max(1, s.total[0], s.total[1]))
	v[Length] = log2(uint64(s.count+1) * token.Unit)
	return v
}

func (p *comparison) add(f Feature, a, b string, value int32) {
	p.found = append(p.found, Evidence{Feature: f, A: a, B: b, value: value})
}
