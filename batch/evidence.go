package batch

import (
	"cmp"

	"github.com/neardup/neardup"
)

// Edge is a verified pair of documents, by their Ordinals. They are near, or one is a variant of the other.
type Edge struct {
	Earlier Ordinal `json:"-"`
	Later   Ordinal `json:"-"`
	neardup.Match
}

// Compare orders edges by the later document, then by the earlier one. [Pairs] returns edges in this order, and they are
// decided in it.
func (e Edge) Compare(o Edge) int {
	return cmp.Or(cmp.Compare(e.Later, o.Later), cmp.Compare(e.Earlier, o.Earlier))
}

// Stronger reports whether e names a better leader than o, where both are edges of one later document. A person's ruling
// comes first, then an equal text, higher rank, smaller distance and the earlier leader. Any near leader beats any that the
// document is a variant of.
func (e Edge) Stronger(o Edge) bool { return e.strength().beats(o.strength()) }

// grade is the kind of evidence, in ascending strength.
type grade uint8

const (
	none    grade = iota
	variant       // similar, but not the same
	unsure        // a variant that a person should look at
	contained
	near
	equal
	ruled // ruled by a person
)

// removes reports whether a text is removed as a duplicate of a leader.
func (g grade) removes() bool { return g >= contained }

func gradeOf(m neardup.Match) grade {
	switch {
	case m.Near && m.Basis == neardup.BasisOverride:
		return ruled
	case m.Near && m.Basis == neardup.BasisEqual:
		return equal
	case m.Near && m.Basis == neardup.BasisContained:
		return contained
	case m.Near:
		return near
	case m.Variant && m.Unsure:
		return unsure
	case m.Variant:
		return variant
	}
	return none
}

// strength orders leaders. The zero value stands for no leader.
type strength struct {
	grade
	distance int32
	rank     float64
	earlier  Ordinal
}

func (e Edge) strength() strength {
	return strength{gradeOf(e.Match), int32(e.Distance), e.Rank(), e.Earlier}
}

func (s strength) beats(o strength) bool {
	switch {
	case s.grade != o.grade:
		return s.grade > o.grade
	case s.rank != o.rank:
		return s.rank > o.rank
	case s.distance != o.distance:
		return s.distance < o.distance
	}
	return s.earlier < o.earlier
}

// EqualMatch returns the match of two documents with one clean text, which is the same for every method.
func EqualMatch(m neardup.Method, clean string) neardup.Match {
	r := newRoutes(m)
	return equalMatch(r.name(r.of(clean)))
}

func equalMatch(method string) neardup.Match {
	return neardup.Match{Similarity: 1, Distance: -1, Near: true, Method: method, Basis: neardup.BasisEqual}
}

// Text is a clean text with the view that a method made of it.
type Text struct {
	Clean    string
	Prepared neardup.Prepared
}

// Verify compares two texts, as every engine must. Equal texts are near, and the method is not called, because it may be
// less certain of them. A blank text is never near.
func Verify(m neardup.Method, a, b Text) neardup.Match { return verify(m, a, b, m.Compare) }

// Explain returns the match that Verify returns, with the Evidence of a variant if the method has any. It scores the pair
// once.
func Explain(m neardup.Method, a, b Text) neardup.Match {
	return verify(m, a, b, func(x, y neardup.Prepared) neardup.Match {
		match, decided := neardup.Screen(m, x, y)
		if !decided {
			match = neardup.Explain(m, x, y)
		}
		if !match.Variant {
			match.Evidence = nil
		}
		return match
	})
}

func verify(m neardup.Method, a, b Text, compare func(x, y neardup.Prepared) neardup.Match) neardup.Match {
	if neardup.Blank(a.Clean) || neardup.Blank(b.Clean) {
		return neardup.Match{Distance: -1, Method: m.Spec().Method, Basis: neardup.BasisBlank}
	}
	if a.Clean == b.Clean {
		return EqualMatch(m, a.Clean)
	}
	return compare(a.Prepared, b.Prepared)
}
