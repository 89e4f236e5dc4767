package evidence

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup/token"
)

// Feature is a quantity of a pair that speaks for or against its texts saying
// the same. All are symmetric.
type Feature int

// The features of a pair. Weights of words are idf in bits.
const (
	Bias        Feature = iota
	Coverage            // bits: log2 of what the less covered text shares with the other, to what it does not; at most 4
	Number              // numbers, codes, units and signs in the place of others, for each place that differs
	Replacement         // bits: the weightiest replacement of a word by another, for each place that differs
	Opposite            // opposites, and negations that only one text has, for each place that differs
	Insertion           // percent: the heaviest passage that only one text has, of the weight of the heavier text
	Length              // log2 of the words of the shorter text
	Difference          // log2 of the words of both texts that the other lacks, at 4 bits a word; at most 8
	features
)

var featureNames = [features]string{"bias", "coverage", "number", "replacement", "opposite", "insertion", "length", "difference"}

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

// replaces reports whether the feature is of something in the place of something else.
func (f Feature) replaces() bool { return f == Number || f == Replacement || f == Opposite }

// Vector holds the value of each feature in units of 1/Unit.
type Vector [features]int32

// slot is a place in which two texts differ: the words of the one and the words of the other, of which one may
// be empty.
type slot struct {
	a, b          []token.Token
	before, after uint64 // the words around it, which both texts have; 0: none
}

// pair collects the differences of two texts. It keeps its memory.
type pair struct {
	slots     []slot
	opened    [2]token.Opened
	excess    [2][]excess
	byHash    table // of excess of the second text
	rows      [2][]*excess
	facts     [2][]*excess // numbers and codes that the other text lacks
	replaced  []replacement
	found     []Evidence
	letters   letters
	negations [2]int
	ends      [2]string // the marks that end the texts, where they differ
}

// excess is a token that the other text lacks in the same place.
type excess struct {
	*token.Token
	before, after uint64 // the words next to it
	slot          int
	next          int32 // the next one of this word, plus 1; 0: none
	used          bool  // it has its partner in the other text
	passage       bool  // it is one of many words that only its text has
}

// beside reports whether two tokens have a common neighbour.
func (e *excess) beside(o *excess) bool {
	return (e.before == o.before && e.before != 0) || (e.after == o.after && e.after != 0)
}

// replacement is one word in the place of another.
type replacement struct {
	a, b   uint64
	weight uint32
}

// sums are the differences of two texts.
type sums struct {
	total     [2]uint64 // weight of all words
	lacking   [2]uint64 // of those that the other text lacks
	count     int       // words of the shorter text
	numbers   int
	opposites int
	insertion uint64 // weight of the heaviest passage that only one text has
	inserted  [2]uint64
	heaviest  int64 // replacement: weight times count times log2(1 + count)
	places    int   // in which the texts differ
}

// nameWeight returns the weight of a word as a name. A word that the table lacks was
// given half of it, because it may be a typing error.
func nameWeight(t *token.Token) uint32 {
	if !t.Known {
		return min(2*t.Weight, token.MostWeight)
	}
	return t.Weight
}

const (
	mostFew  = 4  // extra words that are not a passage: a negation among them denies the words around it
	mostSlot = 24 // words of a replaced place in which one word can be matched to another
)

// look fills s from the slots.
func (p *pair) look(s *sums) {
	p.found, p.replaced = p.found[:0], p.replaced[:0]
	p.facts[0], p.facts[1] = p.facts[0][:0], p.facts[1][:0]
	p.excess[0], p.excess[1] = p.excess[0][:0], p.excess[1][:0]
	p.negations, p.ends = [2]int{}, [2]string{}
	for i := range p.slots {
		for side, tokens := range [2][]token.Token{p.slots[i].a, p.slots[i].b} {
			for k := range tokens {
				if tokens[k].Kind == token.End {
					p.ends[side] = tokens[k].Written
					continue
				}
				e := excess{Token: &tokens[k], slot: i, before: p.slots[i].before, after: p.slots[i].after}
				if k > 0 {
					e.before = tokens[k-1].Hash
				}
				if k+1 < len(tokens) {
					e.after = tokens[k+1].Hash
				}
				p.excess[side] = append(p.excess[side], e)
			}
		}
	}
	p.moved()
	a, b := p.excess[0], p.excess[1]
	for slot := range p.slots {
		p.rows[0], p.rows[1] = p.rows[0][:0], p.rows[1][:0]
		a, b = p.row(0, slot, a), p.row(1, slot, b)
		if len(p.rows[0])+len(p.rows[1]) > 0 {
			s.places++
			p.place(s)
		}
	}
	p.unpaired(s)
	p.focus(s)
}

// row collects what is left of a slot on a side, from the excess that begins there, and
// returns the rest of it.
func (p *pair) row(side, slot int, list []excess) []excess {
	n := 0
	for ; n < len(list) && list[n].slot == slot; n++ {
		if !list[n].used {
			p.rows[side] = append(p.rows[side], &list[n])
		}
	}
	return list[n:]
}

// moved pairs words that both texts have in different places: the first with
// the first, and so on. A number is the same only next to the same word.
func (p *pair) moved() {
	a, b := p.excess[0], p.excess[1]
	if len(a) == 0 || len(b) == 0 {
		return
	}
	p.byHash.reset(len(b))
	for i := len(b) - 1; i >= 0; i-- {
		e, _ := p.byHash.at(b[i].Hash)
		b[i].next = e.a
		e.a = int32(i) + 1 // the first one so far
		e.b = 1
	}
	for i := range a {
		e := p.byHash.find(a[i].Hash)
		if e == nil || e.a == 0 {
			continue
		}
		x, y := &a[i], &b[e.a-1]
		if (x.Fact() && x.Kind != token.Measure && !x.beside(y)) || p.exchanged(x, y) {
			continue
		}
		e.a = y.next
		x.used, y.used = true, true
	}
}

// exchanged reports whether two words have exchanged places.
func (p *pair) exchanged(x, y *excess) bool {
	here, there := &p.slots[x.slot], &p.slots[y.slot]
	return len(here.a) == 1 && len(here.b) == 1 && len(there.a) == 1 && len(there.b) == 1 && here.b[0].Hash == there.a[0].Hash
}

// place weighs what is left of a slot: likeness of letters, facts, opposites, and words that replace others.
func (p *pair) place(s *sums) {
	a, b := p.rows[0], p.rows[1]
	weight, negations, facts := [2]uint64{}, [2]int{}, false
	for side, list := range p.rows {
		for _, e := range list {
			weight[side] += uint64(e.Weight)
			facts = facts || e.Fact()
			e.passage = len(list)-len(p.rows[1-side]) > mostFew
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
		p.insertion(s, weight)
		return
	}
	for side := range weight {
		s.lacking[side] += weight[side] * apart / token.Unit
	}
	if len(a) > mostSlot || len(b) > mostSlot {
		return
	}
	if facts {
		p.numbers(s)
	}
	p.opposites(s)
	p.words(apart)
}

// insertion counts a passage that only one text has.
func (p *pair) insertion(s *sums, weight [2]uint64) {
	for side, list := range p.rows {
		s.lacking[side] += weight[side]
		s.inserted[side] += weight[side]
		for _, e := range list {
			if e.Fact() {
				p.facts[side] = append(p.facts[side], e)
			}
			words := [2]string{}
			words[side] = e.Written
			p.add(Insertion, words[0], words[1], int32(e.Weight))
		}
	}
	s.insertion = max(s.insertion, weight[0]+weight[1])
}

// numbers pairs facts of a place with facts of the other text there.
func (p *pair) numbers(s *sums) {
	b := p.rows[1]
	for _, x := range p.rows[0] {
		for x.Fact() && !x.used && len(b) > 0 {
			if y := b[0]; y.Fact() {
				x.used, y.used = true, true
				s.number(p, x.Written, y.Written)
			}
			b = b[1:]
		}
	}
	for side, list := range p.rows {
		for _, e := range list {
			if e.Fact() && !e.used {
				p.facts[side] = append(p.facts[side], e)
			}
		}
	}
}

// number counts a fact, sign or mark in the place of another.
func (s *sums) number(p *pair, x, y string) {
	s.numbers++
	p.add(Number, x, y, token.Unit)
}

// unpaired counts the facts that each text has and the other lacks, wherever they are. It also counts each extra sign,
// because a sign changes the meaning even if the other text has nothing in its place. At last it counts negations.
func (p *pair) unpaired(s *sums) {
	x, y := p.facts[0], p.facts[1]
	for side, list := range p.facts {
		for _, e := range list {
			if e.Kind == token.Sign && !e.passage {
				words := [2]string{}
				words[side] = e.Written
				s.number(p, words[0], words[1])
			}
		}
	}
	isSign := func(e *excess) bool { return e.Kind == token.Sign }
	x, y = slices.DeleteFunc(x, isSign), slices.DeleteFunc(y, isSign)
	for i := range min(len(x), len(y)) {
		s.number(p, x[i].Written, y[i].Written)
	}
	if p.ends[0] != "" && p.ends[1] != "" {
		s.number(p, p.ends[0], p.ends[1])
	}
	if p.negations[0] != p.negations[1] {
		s.opposites++
		p.add(Opposite, "", "", token.Unit)
	}
}

// opposites finds a word in the place of its opposite.
func (p *pair) opposites(s *sums) {
	for _, x := range p.rows[0] {
		for _, y := range p.rows[1] {
			if !x.used && !y.used && token.Opposites(x.Token, y.Token) {
				x.used, y.used = true, true
				s.opposites++
				p.add(Opposite, x.Written, y.Written, token.Unit)
			}
		}
	}
}

// words pairs the heaviest words of a place with the heaviest of the other
// text, as long as both have one. Where one text has many more there, it is rather a
// longer passage than one word for another, and counts less.
func (p *pair) words(apart uint64) {
	a, b := p.rows[0], p.rows[1]
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

// unused counts the words of a row that are left.
func unused(list []*excess) (n int) {
	for _, e := range list {
		if !e.used && e.Kind != token.Number {
			n++
		}
	}
	return n
}

func heaviest(list []*excess) *excess {
	var best *excess
	for _, e := range list {
		if !e.used && e.Kind != token.Number && (best == nil || nameWeight(e.Token) > nameWeight(best.Token)) {
			best = e
		}
	}
	return best
}

// focus finds the weightiest replacement: the weight of one word in the place of the same other one, times how
// often, times log2 of one more than that. A name that is replaced throughout is another text.
func (p *pair) focus(s *sums) {
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

// A fact counts the same however long the text around it is, so coverage ends at sixteen to one. One word that
// is replaced throughout, as a spelling is, counts as at most one heavy name.
const (
	mostCoverage    = 4 * token.Unit
	mostDifference  = 8 * token.Unit
	mostReplacement = 8 * token.Unit
)

// vector returns the features of what was counted.
func (s *sums) vector() (v Vector) {
	places := int64(max(1, s.places))
	v[Bias] = token.Unit
	v[Coverage] = min(logit(s.total[0], s.lacking[0]), logit(s.total[1], s.lacking[1]), mostCoverage)
	v[Number] = int32(min(int64(s.numbers), places) * token.Unit / places)
	v[Replacement] = int32(min(s.heaviest/places, mostReplacement))
	v[Opposite] = int32(min(int64(s.opposites), places) * token.Unit / places)
	v[Insertion] = int32(100 * token.Unit * s.insertion / max(1, s.total[0], s.total[1]))
	v[Length] = log2(uint64(s.count+1) * token.Unit)
	v[Difference] = min(log2((s.lacking[0]+s.lacking[1])/4+token.Unit), mostDifference)
	return v
}

func (p *pair) add(f Feature, a, b string, value int32) {
	p.found = append(p.found, Evidence{Feature: f, A: a, B: b, value: value})
}
