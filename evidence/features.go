package evidence

import (
	"slices"

	"github.com/neardup/neardup/token"
)

// Feature is a quantity of a pair that speaks for or against its texts saying
// the same.
type Feature int

// The features of a pair: of a text, and of the leader it may go for. Shares are
// of the weight of all words, counts kept.
const (
	Bias        Feature = iota
	Held                // logit of the share of the text that the leader holds
	HeldBack            // logit of the share of the leader that the text holds
	Length              // log2 of the words of the shorter one
	Number              // numbers in the place of other numbers, in percent of the weight
	Opposite            // opposites, and a negation that one has more
	Exchanged           // how much of the difference two words are that exchange places
	Focus               // how much of the difference one replacement is, by weight and times
	NumberFocus         // how much of it numbers in the place of others are
	Block               // the longest row of words that the text has more, in percent of the text
	Title               // the lighter of two words that replace each other in the first words
	MoreNumbers         // numbers that the text has more, log2(1+n)
	Filled              // in many words log2(1+n) of n replacements by mean weight and share of the difference
	Edge                // share of the difference that few words more at the head or the tail are
	features

	// Recurring is none of a pair: what differs tells many texts of a corpus apart.
	Recurring = features
)

var featureNames = [features]string{
	"bias", "held", "held-back", "length", "number", "opposite", "exchanged", "focus", "number-focus", "block", "title", "more-numbers", "filled", "edge",
}

// String is the feature's name in a table of weights.
func (f Feature) String() string {
	if f == Recurring {
		return "recurring"
	}
	return featureNames[f]
}

// Features lists all features in the order of a table of weights.
func Features() []Feature {
	all := make([]Feature, features)
	for i := range all {
		all[i] = Feature(i)
	}
	return all
}

// Sign is what a weight of the feature may be: 1 if only for, -1 if only
// against, 0 if either. It keeps a fit from learning the accidents of a sample.
func (f Feature) Sign() int {
	switch f {
	case Bias, Length:
		return 0
	case Held, HeldBack, Edge:
		return 1
	}
	return -1
}

// slot reports whether the feature is of something in the place of something else.
func (f Feature) slot() bool { return f >= Number && f <= NumberFocus || f == Title || f == Filled }

// More reports whether the feature is of what the text has more than the leader.
func (f Feature) More() bool { return f == Block || f == MoreNumbers }

// names reports whether a difference that was found as f is an example of g.
func (f Feature) names(g Feature) bool {
	switch g {
	case NumberFocus:
		return f == Number
	case Filled:
		return f == Focus || f == Number
	}
	return f == g
}

// Vector holds the value of each feature in units of 1/Unit.
type Vector [features]int32

// pair collects what tells two texts apart: side 0 is the text, side 1 the leader. It
// keeps its memory.
type pair struct {
	aligner
	opened   [2]token.Opened
	excess   [2][]excess
	byHash   table // of excess of the leader
	rows     [2][]*excess
	left     [2][]*token.Token // of these; scratch
	between  []token.Token     // scratch
	letters  [2]letters        // scratch
	units    []unit            // scratch
	costs    []int32           // scratch
	numbered [2][]*excess      // numbers that the other has not at all
	moves    []move
	replaced []replacement
	found    []Evidence
	// What differs is named where there are slots, or somebody wants to know.
	recurring Slots
	naming    bool
	named     []string
	sides     [2][]byte // scratch
	slotBits  int32
}

// excess is a token that the other text has not in the same place.
type excess struct {
	*token.Token
	before, after uint64 // the words beside it
	slot          int
	next          int32 // the next one of this word, plus 1; 0: none
	gone          bool  // it has its partner in the other text
}

// beside reports whether two tokens have a neighbour in common.
func (e *excess) beside(o *excess) bool {
	return e.before == o.before && e.before != 0 || e.after == o.after && e.after != 0
}

// move is a word that stands in one slot of the text and in another of the leader.
type move struct {
	from, to int
	*excess  // of the text
	partner  *excess
}

// replacement is one word in the place of another.
type replacement struct {
	a, b   uint64
	weight uint32
	clean  bool // nothing else stands in its place
}

// sums are what two texts differ in.
type sums struct {
	v            Vector
	total        [2]uint64 // weight of all words
	lacking      [2]uint64 // of those that the other one has not
	count        int       // words of the shorter one
	numbers      int       // in the place of others
	numberWeight uint64    // of these
	moreNumbers  int       // that the text has more
	block        uint64    // weight of the longest row that the text has more
	focus        int64     // of what is replaced
	exchanges    int       // pairs of words that have exchanged places
	filled       int       // different replacements in places where nothing else stands
	filledBy     uint64    // weight of these
	filledWeight uint64    // of these places, twice that of the text that has less there
	slots        int       // of the alignment
	edge         uint64    // weight of few words more at the head or the tail
	places       int       // in which the texts differ: slots, of which some are one place
}

// nameWeight is the weight of a word as a name: one that the table lacks was
// given half of it, for it may be a slip of the pen.
func nameWeight(t *token.Token) uint32 {
	if !t.Known {
		return min(2*t.Weight, token.MostWeight)
	}
	return t.Weight
}

// look fills s from the slots of the aligner.
func (p *pair) look(s *sums) {
	p.found, p.moves, p.replaced = p.found[:0], p.moves[:0], p.replaced[:0]
	p.numbered[0], p.numbered[1] = p.numbered[0][:0], p.numbered[1][:0]
	p.named, p.slotBits = p.named[:0], 0
	p.excess[0], p.excess[1] = p.excess[0][:0], p.excess[1][:0]
	for i := range p.slots {
		for side, tokens := range [2][]token.Token{p.slots[i].a, p.slots[i].b} {
			for k := range tokens {
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
	p.exchanged(s)
	s.slots = len(p.slots)
	p.eachPlace(func(int) { p.respelt(s) })
	p.negated(s)
	s.places = p.eachPlace(func(slot int) { p.place(s, slot) })
	// Where each has a number that the other lacks, they say other things, wherever these stand.
	x, y := p.numbered[0], p.numbered[1]
	n := min(len(x), len(y))
	for i := range n {
		s.number(p, x[i].Token, y[i].Token)
	}
	for _, e := range x[n:] {
		p.add(MoreNumbers, e.Written, "", int32(e.Weight))
	}
	s.moreNumbers = len(x) - n
	p.focus(s)
}

// negated finds a negation that one text has more. One in a passage is of that passage alone, not of what both
// say.
func (p *pair) negated(s *sums) {
	var negations [2]int
	for side, list := range p.excess {
		for i := range list {
			e := &list[i]
			more := len(p.slots[e.slot].a) - len(p.slots[e.slot].b)
			if side == 1 {
				more = -more
			}
			if !e.gone && more <= mostFew && token.Negates(e.Token) {
				negations[side]++
			}
		}
	}
	if negations[0] != negations[1] {
		s.v[Opposite] += token.Unit
		p.add(Opposite, "", "", token.Unit)
	}
}

// mostFew is how many words more are no passage: a negation among them is of what is around them, and at the
// edge they may be a credit.
const mostFew = 4

// eachPlace collects in rows what is left of each slot and calls look with it, and returns how
// often. Slots side by side, of which one text has something in this one and the other in that, are one
// place: an alignment keeps a word that two names share, and parts what stands around it.
func (p *pair) eachPlace(look func(slot int)) (places int) {
	a, b := p.excess[0], p.excess[1]
	for i := 0; i < len(p.slots); i++ {
		p.rows[0], p.rows[1] = p.rows[0][:0], p.rows[1][:0]
		first := i
		a, b = p.row(0, i, a), p.row(1, i, b)
		for ; i+1 < len(p.slots) && p.facing(i, a, b); i++ {
			a, b = p.row(0, i+1, a), p.row(1, i+1, b)
		}
		look(first)
		places++
	}
	return places
}

// facing reports whether rows hold words of one text alone, and the slot behind them, from which a and b
// go on, those of the other alone, few words farther on.
func (p *pair) facing(slot int, a, b []excess) bool {
	side := 0
	if len(p.rows[0]) == 0 {
		side = 1
	}
	if len(p.rows[side]) == 0 || len(p.rows[1-side]) > 0 || !p.sameRow(slot, slot+1) || len(p.after(slot)) > 1 {
		return false
	}
	count := [2]int{}
	for k, list := range [2][]excess{a, b} {
		for i := 0; i < len(list) && list[i].slot == slot+1; i++ {
			if !list[i].gone {
				count[k]++
			}
		}
	}
	return count[side] == 0 && count[1-side] > 0
}

// row collects what is left of a slot on a side, from the excess that begins there, and
// returns the rest of it.
func (p *pair) row(side, slot int, list []excess) []excess {
	n := 0
	for ; n < len(list) && list[n].slot == slot; n++ {
		if !list[n].gone {
			p.rows[side] = append(p.rows[side], &list[n])
		}
	}
	return list[n:]
}

// moved pairs off words that both texts have, in different places: the first with
// the first, and so on. A number is the same only beside the same word.
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
		if x.Number() && !x.beside(y) {
			continue
		}
		e.a = y.next
		x.gone, y.gone = true, true
		p.moves = append(p.moves, move{x.slot, y.slot, x, y})
	}
}

// place pairs the words of a slot: ways to write one word, numbers, opposites,
// and words of which one stands for another. What is left one text has more.
func (p *pair) place(s *sums, slot int) {
	a, b := p.rows[0], p.rows[1]
	from, numbers, lacking := len(p.replaced), s.numbers, s.lacking
	if len(a) > 0 && len(b) > 0 && len(a) <= mostSlot && len(b) <= mostSlot {
		p.name(a, b)
		p.numbers(s, a, b)
		p.opposites(s, a, b)
		p.words(s, slot, a, b)
	} else {
		p.name(a, b)
	}
	if there := func(e *excess) bool { return !e.gone }; !slices.ContainsFunc(a, there) && !slices.ContainsFunc(b, there) {
		for i := range p.replaced[from:] {
			p.replaced[from+i].clean = true
		}
		if n := s.numbers - numbers; n > 0 || len(p.replaced) > from {
			s.filled += n
			s.filledBy += uint64(n) * token.NumberWeight
			s.filledWeight += 2 * min(s.lacking[0]-lacking[0], s.lacking[1]-lacking[1])
		}
	}
	atEdge := p.atEdge(slot) && min(len(a), len(b)) == 0 && max(len(a), len(b)) <= mostFew
	block := uint64(0)
	for side, list := range p.rows {
		for _, e := range list {
			if e.gone {
				continue
			}
			s.lacking[side] += uint64(e.Weight)
			if atEdge {
				s.edge += uint64(e.Weight)
				words := [2]string{}
				words[side] = e.Written
				p.add(Edge, words[0], words[1], int32(e.Weight))
			}
			if e.Fact() {
				p.numbered[side] = append(p.numbered[side], e)
			}
			if side == 1 {
				continue
			}
			block += uint64(e.Weight)
			if !e.Fact() {
				p.add(Block, e.Written, "", int32(e.Weight))
			}
		}
	}
	s.block = max(s.block, block)
}

// mostSlot is how many words stand in the place of others at most so that one
// can be said to stand for another.
const mostSlot = 24

// lack counts two words of one place as held in part: all but one in parts.
func (s *sums) lack(x, y *token.Token, parts uint64) {
	s.lacking[0] += uint64(x.Weight) / parts
	s.lacking[1] += uint64(y.Weight) / parts
}

// vector makes the features of what was counted.
func (s *sums) vector() Vector {
	v := s.v
	places := int64(max(1, s.places))
	v[Bias] = token.Unit
	v[Held] = logit(s.total[0], s.lacking[0])
	v[HeldBack] = logit(s.total[1], s.lacking[1])
	v[Length] = log2(uint64(s.count+1) * token.Unit)
	v[Number] = percent(s.numberWeight, min(s.total[0], s.total[1]))
	v[Exchanged] = int32(min(token.Unit, 2*int64(s.exchanges)*token.Unit/int64(max(1, s.slots))))
	v[Focus] = int32(s.focus / places)
	v[NumberFocus] = int32(int64(s.numbers) * token.Unit / places)
	v[Block] = percent(s.block, s.total[0])
	v[MoreNumbers] = log2(uint64(1+s.moreNumbers) * token.Unit)
	v[Edge] = int32(s.edge * token.Unit / max(1, s.lacking[0]+s.lacking[1]))
	mean := int64(s.filledBy) / int64(max(1, s.filled))
	filled := int64(log2(uint64(1+s.filled)*token.Unit)) * mean / token.Unit * int64(s.filledWeight) / int64(max(1, s.lacking[0]+s.lacking[1]))
	v[Filled] = int32(filled * at(v[Length]) / token.Unit) // in few words each replacement says it by itself
	return v
}

// percent of a whole, in units of 1/Unit.
func percent(part, whole uint64) int32 {
	return int32(min(100*token.Unit, 100*token.Unit*part/max(1, whole)))
}

func (p *pair) add(f Feature, a, b string, value int32) {
	p.found = append(p.found, Evidence{Feature: f, A: a, B: b, value: value})
}
