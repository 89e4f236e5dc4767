// Package evidence scores whether two similar texts say the same: a sum, in
// bits, of what speaks for it and what against, each a quantity of the alignment
// of their words times a weight that was learned from pairs judged by people and
// from pairs made by a change whose meaning is known.
//
// The quantities are few and of one kind for all texts: what is in common, a
// number in the place of a number, a word in the place of a word by what the
// lighter one weighs, words that exchange places, opposites, what one text has
// more. No rule knows a subject, a place or a language but for the tables of
// package token. All of it is whole numbers: the same texts have the same score
// on every machine.
package evidence

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/neardup/neardup/token"
)

// Evidence is one difference of two texts and what it says, in bits: more than 0
// for the same, less against it. A stands in the first text, B in the leader,
// "" where one has nothing there.
type Evidence struct {
	Feature Feature
	A, B    string
	Bits    float64
	value   int32
}

// Scorer scores pairs. Safe for concurrent use.
type Scorer struct {
	weights Weights
	lexicon *token.Lexicon
	works   sync.Pool // of *work
}

// work is the memory of one call.
type work struct {
	pair
	differ
	lexicon *token.Lexicon
	cutter  *token.Cutter // made for the first long text: it takes a third of a megabyte
	bufs    [2][]token.Token
	places  []place // of long
}

// place is where two long texts differ: in the tokens that were cut there, and in
// their coarse words, with those around it that both have; 0: none.
type place struct {
	a0, a1, b0, b1, atA, atB int
	before, after            uint64
}

// New returns a scorer that weighs words by a lexicon.
func New(l *token.Lexicon, w Weights) *Scorer {
	s := &Scorer{weights: w, lexicon: l}
	s.works.New = func() any {
		k := &work{lexicon: l}
		k.recurring = w.Slots
		return k
	}
	return s
}

// Label names weights and tables in a Spec.
func (s *Scorer) Label() string { return s.weights.Digest() + "," + s.lexicon.Label() }

// Result is what a scorer says of a pair.
type Result struct {
	Score
	// Slot says that the strongest evidence against is something in the place of
	// something else; More, that it is what the text has more than the leader.
	Slot, More bool
	// Sure says that each holds sureHeld of the other, and that nothing stands in the place of
	// something else.
	Sure bool
}

// sureHeld is log2 of .95 to .05.
const sureHeld = 1087

// View is a text as it is scored: a [*token.View] of a short one, a [*LongView] of a long one. Both
// of a pair are of one kind.
type View interface{ Bytes() int }

// Score scores two texts: whether one may go for the leader.
func (s *Scorer) Score(text, leader View) Result {
	if v, short := text.(*token.View); short {
		if n, ok := token.NumbersApart(v, leader.(*token.View)); ok {
			return s.OtherNumbers(v, n)
		}
	}
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	return s.result(w.vector(text, leader), w.slotBits)
}

// OtherNumbers is Score of a short text and one in which n numbers are others and all else is the same.
func (s *Scorer) OtherNumbers(v *token.View, n int) Result { return s.result(otherNumbers(v, n), 0) }

// Vector is the features of a pair, to learn weights from.
func (s *Scorer) Vector(text, leader View) Vector {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	return w.vector(text, leader)
}

// Explain lists what differs in two texts and what it says, the strongest
// first, and last what they have in common, with the rest of the score: the sum is the score.
func (s *Scorer) Explain(text, leader View) (Result, []Evidence) {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	v := w.vector(text, leader)
	return s.result(v, w.slotBits), s.explain(v, w.slotBits, w.found)
}

func (w *work) vector(text, leader View) Vector {
	if v, long := text.(*LongView); long {
		return w.long(v, leader.(*LongView))
	}
	return w.short(text.(*token.View), leader.(*token.View))
}

func (s *Scorer) result(v Vector, slots int32) Result {
	r := Result{Score: s.weights.Score(v).plus(slots)}
	t := at(v[Length])
	slot, more := int64(slots)*weightUnit, int64(0)
	for k, value := range v {
		switch f := Feature(k); {
		case f.slot():
			slot += s.weights.worth(f, value, t)
		case f.More():
			more += s.weights.worth(f, value, t)
		}
	}
	r.Slot, r.More = slot < 0 && slot <= more, more < slot
	r.Sure = slot == 0 && min(v[Held], v[HeldBack]) >= sureHeld
	return r
}

// explain says what each difference is worth: the features that it is the value
// of, or its part of what they are worth together.
func (s *Scorer) explain(v Vector, slots int32, found []Evidence) []Evidence {
	t := at(v[Length])
	var out []Evidence
	rest := s.weights.Score(v).plus(slots)
	if slots != 0 {
		e := named(Recurring, found)
		e.Bits, rest = float64(slots)/token.Unit, rest.plus(-slots)
		out = append(out, e)
	}
	for k := range v {
		f := Feature(k)
		worth := s.weights.worth(f, v[k], t) / weightUnit
		if worth == 0 || f == Bias || f == Held || f == HeldBack || f == Length {
			continue
		}
		e := named(f, found)
		e.Bits = float64(worth) / token.Unit
		rest -= Score(worth)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Evidence) int { return cmp.Compare(a.Bits, b.Bits) })
	return append(out, Evidence{Feature: Held, Bits: rest.Bits()})
}

// otherNumbers is the vector of a text and another in which n numbers are others and all
// else is the same: what short finds, for a fraction of the work.
func otherNumbers(v *token.View, n int) Vector {
	weight := uint64(n) * token.NumberWeight
	s := sums{
		count: v.Count, total: [2]uint64{v.Sum, v.Sum}, lacking: [2]uint64{weight, weight},
		numbers: n, numberWeight: weight, places: n, filled: n, filledBy: weight, filledWeight: 2 * weight,
	}
	return s.vector()
}

// named is a piece of evidence with the heaviest difference that was found of it.
func named(f Feature, found []Evidence) Evidence {
	e, best := Evidence{Feature: f}, int32(-1)
	for i := range found {
		if c := &found[i]; c.Feature.names(f) && c.value > best {
			e.A, e.B, best = c.A, c.B, c.value
		}
	}
	return e
}

// Differences names the places in which two short texts differ, as Slots does: what one
// has there, " / ", and what the other has. Places of numbers alone and passages are left out.
func (s *Scorer) Differences(a, b *token.View) []string {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	w.naming = true
	w.short(a, b)
	w.naming = false
	return slices.Clone(w.named)
}

func (w *work) short(a, b *token.View) Vector {
	x, y := &w.opened[0], &w.opened[1]
	if y.View == a || x.View == b { // of one view compared with many it keeps the tokens
		w.opened[0], w.opened[1] = w.opened[1], w.opened[0]
	}
	x.Open(a)
	y.Open(b)
	w.slots = w.slots[:0]
	w.alignEither(x.Tokens, y.Tokens)
	for i := range w.slots {
		w.slots[i].title = w.slots[i].atA < titleWords && w.slots[i].atB < titleWords
	}
	s := sums{count: min(len(x.Tokens), len(y.Tokens))}
	for side, tokens := range [2][]token.Token{x.Tokens, y.Tokens} {
		for i := range tokens {
			s.total[side] += uint64(tokens[i].Weight)
		}
	}
	w.look(&s)
	return s.vector()
}

// alignEither aligns two texts the same way, whichever comes first: there may be
// several alignments of the same length.
func (w *work) alignEither(x, y []token.Token) {
	from, turned := len(w.slots), before(y, x)
	if turned {
		w.align(y, x)
	} else {
		w.align(x, y)
	}
	for i := from; i < len(w.slots); i++ {
		s := &w.slots[i]
		if turned {
			s.a, s.b, s.atA, s.atB = s.b, s.a, s.atB, s.atA
		}
		s.row = x
	}
}

// before orders texts by their words, whatever the seed of the hashes.
func before(a, b []token.Token) bool {
	return slices.CompareFunc(a, b, func(x, y token.Token) int {
		if x.Hash == y.Hash {
			return 0
		}
		return strings.Compare(x.Text, y.Text)
	}) < 0
}

// mostTokens bounds what is aligned in one place of two long texts.
const mostTokens = 1024

// coarseWeight is what a coarse word weighs about, where it is not looked up.
const coarseWeight = 3 * token.Unit

func (w *work) long(a, b *LongView) Vector {
	if w.cutter == nil {
		w.cutter = token.NewCutter(w.lexicon, 0)
	}
	w.slots = w.slots[:0]
	w.bufs[0], w.bufs[1] = w.bufs[0][:0], w.bufs[1][:0]
	s := sums{count: min(len(a.hashes), len(b.hashes))}
	s.total[0], s.total[1] = uint64(len(a.hashes))*coarseWeight, uint64(len(b.hashes))*coarseWeight
	w.places = w.places[:0]
	for _, sp := range widen(w.diff(a.hashes, b.hashes), a, b) { // cut all first: the buffers grow
		p := place{a0: len(w.bufs[0]), b0: len(w.bufs[1]), atA: sp.a0, atB: sp.b0}
		w.bufs[0] = append(w.bufs[0], w.cutter.Cut(a.slice(sp.a0, sp.a1))...)
		w.bufs[1] = append(w.bufs[1], w.cutter.Cut(b.slice(sp.b0, sp.b1))...)
		p.a1, p.b1 = len(w.bufs[0]), len(w.bufs[1])
		if sp.a0 > 0 && sp.b0 > 0 {
			p.before = uint64(a.hashes[sp.a0-1])
		}
		if sp.a1 < len(a.hashes) && sp.b1 < len(b.hashes) {
			p.after = uint64(a.hashes[sp.a1])
		}
		w.places = append(w.places, p)
	}
	for _, p := range w.places {
		x, y := w.bufs[0][p.a0:p.a1], w.bufs[1][p.b0:p.b1]
		from := len(w.slots)
		if len(x) <= mostTokens && len(y) <= mostTokens {
			w.alignEither(x, y)
		} else {
			w.slot(slot{a: x, b: y})
		}
		for i := from; i < len(w.slots); i++ {
			at := &w.slots[i]
			at.title = p.atA+at.atA < a.title && p.atB+at.atB < b.title
			at.before, at.after = cmp.Or(at.before, p.before), cmp.Or(at.after, p.after)
		}
	}
	w.look(&s)
	return s.vector()
}
