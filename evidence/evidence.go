// Package evidence scores how likely two similar texts mean the same.
//
// The words of the two texts are aligned, and six quantities of the alignment are measured. The score, in bits, is the
// sum of these quantities, each times a weight that was learned from pairs judged by readers. The order of the texts does
// not matter. features.go computes the quantities; diff.go aligns two texts; long.go holds long texts; letters.go compares
// the letters of what differs; weights.go holds the weights. No rule depends on a subject, a place or a language, except
// for the tables of package token. All numbers are integers, so the same texts have the same score on every machine.
package evidence

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/neardup/neardup/token"
)

// Evidence is a difference of two texts and its weight in bits, which is positive if it speaks for the same meaning. A is
// the part of the first text and B of the second. Either may be "".
type Evidence struct {
	Feature Feature
	A, B    string
	Bits    float64
	value   int32
}

// Scorer scores pairs. It is safe for concurrent use.
type Scorer struct {
	weights Weights
	lexicon *token.Lexicon
	works   sync.Pool // holds *work
}

// work is the memory of one call.
type work struct {
	comparison
	differ
	lexicon   *token.Lexicon
	cutter    *token.Cutter // made for the first long text, because it takes a third of a megabyte
	bufs      [2][]token.Token
	longHunks []longHunk  // used by compareLong
	hashes    [2][]uint32 // used by align
	counts    []uint32
}

// longHunk is a difference of two long texts. It has the tokens of the difference, and the coarse words next to it that
// both texts have, or 0.
type longHunk struct {
	a0, a1, b0, b1 int
	before, after  uint64
}

// New returns a scorer that weighs words by a lexicon.
func New(l *token.Lexicon, w Weights) *Scorer {
	s := &Scorer{weights: w, lexicon: l}
	s.works.New = func() any { return &work{lexicon: l} }
	return s
}

// Label returns the name of the weights and tables, for a Spec.
func (s *Scorer) Label() string { return s.weights.Digest() + "," + s.lexicon.Label() }

// Result is a scorer's result for a pair.
type Result struct {
	Score
	// Replaced reports whether the strongest evidence against a match is a replacement. First and Second report whether it
	// is extra words of that text.
	Replaced, First, Second bool
	// Sure reports whether each text holds .95 of the other and nothing is replaced.
	Sure bool
	// FirstHeld and SecondHeld report whether the other text contains this text: it lacks at most .05 of it, and nothing is
	// replaced. They are false for texts of fewer than 16 words.
	FirstHeld, SecondHeld bool
}

const (
	sureHeld  = 1087 // log2 of .95 to .05, in units of 1/Unit
	leastHeld = 16   // least words of a text that another one may contain
)

// View is a text prepared for scoring: a [*token.View] of a short text, or a [*LongView] of a long one. Both views of a
// pair must have one type.
type View interface{ Bytes() int }

// Score returns the result for two texts.
func (s *Scorer) Score(a, b View) Result {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	r, _ := s.result(w, a, b)
	return r
}

// Vector returns the features of a pair, from which weights can be learned.
func (s *Scorer) Vector(a, b View) Vector {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	_, v := s.result(w, a, b)
	return v
}

// Explain lists the differences of two texts and their weights, the strongest against the same first. The last entry is
// what they share. It carries the rest of the score, so the sum of all entries is the score.
func (s *Scorer) Explain(a, b View) (Result, []Evidence) {
	w := s.works.Get().(*work)
	defer s.works.Put(w)
	r, v := s.result(w, a, b)
	return r, s.explain(r.Score, v, w.found)
}

// result scores the pair in an order that does not depend on which text comes first, because texts may have
// several alignments of one length.
func (s *Scorer) result(w *work, a, b View) (Result, Vector) {
	var sums sums
	turned := false
	if v, long := a.(*LongView); long {
		turned = b.(*LongView).clean < v.clean
		if turned {
			a, b = b, a
		}
		w.compareLong(a.(*LongView), b.(*LongView), &sums)
	} else {
		turned = w.compareShort(a.(*token.View), b.(*token.View), &sums)
	}
	v := sums.vector()
	r := s.meaning(&sums, v)
	if turned {
		r.First, r.Second, r.FirstHeld, r.SecondHeld = r.Second, r.First, r.SecondHeld, r.FirstHeld
		for i := range w.found {
			w.found[i].A, w.found[i].B = w.found[i].B, w.found[i].A
		}
	}
	return r, v
}

// meaning returns the Result for the sums of a pair.
func (s *Scorer) meaning(sums *sums, v Vector) Result {
	r := Result{Score: s.weights.Score(v)}
	replaced := int64(0)
	for k, value := range v {
		if f := Feature(k); f.replaces() {
			replaced += s.weights.worth(f, value)
		}
	}
	more := s.weights.worth(Insertion, v[Insertion])
	r.Replaced = replaced < 0 && replaced <= more
	r.First = !r.Replaced && sums.inserted[0] > sums.inserted[1]
	r.Second = !r.Replaced && sums.inserted[1] > sums.inserted[0]
	heavy := v[Replacement]*int32(max(1, sums.hunks)) > heavyReplacement
	plain := v[Number] == 0 && v[Opposite] == 0 && !heavy
	held := func(side int) bool { return logit(sums.total[side], sums.lacking[side]) >= sureHeld }
	r.Sure = plain && v[Replacement] == 0 && held(0) && held(1)
	if plain && sums.count >= leastHeld {
		r.FirstHeld, r.SecondHeld = held(0), held(1)
	}
	return r
}

// heavyReplacement is the weight above which a replaced word changes the subject of a text, in units of 1/Unit bits.
const heavyReplacement = 4 * token.Unit

// explain returns the weight of each difference.
func (s *Scorer) explain(rest Score, v Vector, found []Evidence) []Evidence {
	var out []Evidence
	for k := range v {
		f := Feature(k)
		worth := s.weights.worth(f, v[k]) / weightUnit
		if worth == 0 || f == Bias || f == Coverage || f == Length {
			continue
		}
		e := heaviestOf(f, found)
		e.Bits = float64(worth) / token.Unit
		rest -= Score(worth)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Evidence) int { return cmp.Compare(a.Bits, b.Bits) })
	return append(out, Evidence{Feature: Coverage, Bits: rest.Bits()})
}

// heaviestOf returns the heaviest of the found differences that count for a feature.
func heaviestOf(f Feature, found []Evidence) Evidence {
	e, best := Evidence{Feature: f}, int32(-1)
	for i := range found {
		if c := &found[i]; c.Feature == f && c.value > best {
			e.A, e.B, best = c.A, c.B, c.value
		}
	}
	return e
}

// compareShort measures the differences of two short texts. turned reports whether it exchanged the two.
func (w *work) compareShort(a, b *token.View, s *sums) (turned bool) {
	x, y := &w.opened[0], &w.opened[1]
	if y.View == a || x.View == b { // keeps the tokens of a view that is compared with many others
		w.opened[0], w.opened[1] = w.opened[1], w.opened[0]
	}
	x.Open(a)
	y.Open(b)
	s.total = [2]uint64{a.Sum, b.Sum}
	one, other := x.Tokens, y.Tokens
	turned = before(other, one)
	if turned {
		one, other = other, one
		s.total[0], s.total[1] = s.total[1], s.total[0]
	}
	s.count = min(len(one), len(other))
	w.hunks = w.hunks[:0]
	w.align(one, other)
	w.measure(s)
	return turned
}

// align appends the differences of the words of two texts to w.hunks.
func (w *work) align(a, b []token.Token) {
	found := w.byHalf(a, b, 0)
	if !equalBetween(a, b, found) {
		found = w.byHalf(a, b, 32)
	}
	for _, sp := range found {
		s := tokenHunk{a: a[sp.a0:sp.a1], b: b[sp.b0:sp.b1]}
		if sp.a0 > 0 && sp.b0 > 0 {
			s.before = a[sp.a0-1].Hash
		}
		if sp.a1 < len(a) && sp.b1 < len(b) {
			s.after = a[sp.a1].Hash
		}
		w.hunks = append(w.hunks, s)
	}
}

// byHalf compares two sequences of words by 32 bits of their hashes, starting at a bit.
func (w *work) byHalf(a, b []token.Token, bit int) []hunk {
	for side, tokens := range [2][]token.Token{a, b} {
		w.hashes[side] = w.hashes[side][:0]
		for i := range tokens {
			w.hashes[side] = append(w.hashes[side], uint32(tokens[i].Hash>>bit))
		}
	}
	return w.diff(w.hashes[0], w.hashes[1])
}

// equalBetween reports whether two sequences are equal outside of differing, where they differ by half of the hashes. Of
// 100,000 numbers, two agree in half of a hash.
func equalBetween(a, b []token.Token, differing []hunk) bool {
	i, j := 0, 0
	for k := 0; k <= len(differing); k++ {
		end := hunk{a0: len(a)}
		if k < len(differing) {
			end = differing[k]
		}
		for ; i < end.a0; i, j = i+1, j+1 {
			if a[i].Hash != b[j].Hash {
				return false
			}
		}
		i, j = end.a1, end.b1
	}
	return true
}

// before orders texts by their words. The order does not depend on the seed of the hashes.
func before(a, b []token.Token) bool {
	return slices.CompareFunc(a, b, func(x, y token.Token) int {
		if x.Hash == y.Hash {
			return 0
		}
		return strings.Compare(x.Text, y.Text)
	}) < 0
}

// coarseWeight is the weight assumed for a coarse word that is not looked up.
const coarseWeight = 3 * token.Unit

// compareLong measures the differences of two long texts. It only cuts the texts into words, and weighs these, where they
// differ.
func (w *work) compareLong(a, b *LongView, s *sums) {
	if w.cutter == nil {
		w.cutter = token.NewCutter(w.lexicon, 0)
	}
	w.hunks = w.hunks[:0]
	w.bufs[0], w.bufs[1] = w.bufs[0][:0], w.bufs[1][:0]
	s.count = min(len(a.hashes), len(b.hashes))
	s.total = [2]uint64{uint64(len(a.hashes)) * coarseWeight, uint64(len(b.hashes)) * coarseWeight}
	w.longHunks = w.longHunks[:0]
	for _, sp := range widen(w.diff(a.hashes, b.hashes), a, b) { // take slices only after all cuts, because the buffers grow
		p := longHunk{a0: len(w.bufs[0]), b0: len(w.bufs[1])}
		w.bufs[0] = append(w.bufs[0], w.cutter.CutPart(a.slice(sp.a0, sp.a1), sp.a0 == 0)...)
		w.bufs[1] = append(w.bufs[1], w.cutter.CutPart(b.slice(sp.b0, sp.b1), sp.b0 == 0)...)
		p.a1, p.b1 = len(w.bufs[0]), len(w.bufs[1])
		if sp.a0 > 0 && sp.b0 > 0 {
			p.before = uint64(a.hashes[sp.a0-1])
		}
		if sp.a1 < len(a.hashes) && sp.b1 < len(b.hashes) {
			p.after = uint64(a.hashes[sp.a1])
		}
		w.longHunks = append(w.longHunks, p)
	}
	for _, p := range w.longHunks {
		x, y := w.bufs[0][p.a0:p.a1], w.bufs[1][p.b0:p.b1]
		from := len(w.hunks)
		w.align(x, y)
		for i := from; i < len(w.hunks); i++ {
			at := &w.hunks[i]
			at.before, at.after = cmp.Or(at.before, p.before), cmp.Or(at.after, p.after)
		}
	}
	w.measure(s)
}
