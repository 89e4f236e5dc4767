package batch

import "fmt"

// Settling is the greedy leader rule where not all edges are known yet: of
// some texts, which wait, more edges to earlier ones may come. What it decides
// stays true whatever these are.
type Settling struct {
	removed, open sparseSet // open: neither leader nor removed, or waiting
	last          Candidate
	leader, doubt bool // what the present text has before it
	begun         bool
}

// Settled is what becomes of a text.
type Settled int

// A text leads, is a duplicate of a leader, or cannot be decided yet.
const (
	SettledLeader Settled = iota
	SettledDuplicate
	SettledOpen
)

// NewSettling returns the rule at its beginning.
func NewSettling() *Settling { return &Settling{removed: sparseSet{}, open: sparseSet{}} }

// Wait says, before any edge, that a text waits.
func (s *Settling) Wait(text Ordinal) { s.open.add(text) }

// Edge takes a pair of near texts. They come by the later and then the earlier
// text, and End is called between two later ones; else it is ErrOrder. O(1).
func (s *Settling) Edge(c Candidate) error {
	ordered := !s.begun || c.Later > s.last.Later || c.Later == s.last.Later && c.Earlier >= s.last.Earlier
	if c.Earlier >= c.Later || !ordered {
		return fmt.Errorf("%w: %d, %d after %d, %d", ErrOrder, c.Later, c.Earlier, s.last.Later, s.last.Earlier)
	}
	s.last, s.begun = c, true
	switch {
	case s.removed.has(c.Earlier):
	case s.open.has(c.Earlier):
		s.doubt = true
	default:
		s.leader = true
	}
	return nil
}

// End says what becomes of the later text of the edges since the last End.
func (s *Settling) End() Settled {
	text, leader, doubt := s.last.Later, s.leader, s.doubt
	s.leader, s.doubt = false, false
	switch {
	case leader:
		s.removed.add(text)
		return SettledDuplicate
	case doubt || s.open.has(text):
		s.open.add(text)
		return SettledOpen
	}
	return SettledLeader
}
