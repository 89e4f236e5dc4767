package evidence

import (
	"slices"

	"github.com/neardup/neardup/token"
)

// exchanged finds two words, or two numbers, that have exchanged their places around something
// that stays: who beats whom, from where to where. Around "and" and "against" it says nothing,
// nor if a number has gone along with its word.
func (p *pair) exchanged(s *sums) {
	if len(p.moves) <= mostMoves {
		for i := range p.moves {
			for j := range p.moves {
				m, n := &p.moves[i], &p.moves[j]
				if m.from >= m.to || m.from != n.to || m.to != n.from || m.Hash == n.Hash || m.Number() != n.Number() ||
					p.along(m.from, m.to, !m.Number()) || !p.directed(m.from, m.to, p.kept(m.from, m.to)) {
					continue
				}
				if !m.Number() {
					p.exchange(s, m.Token, n.Token)
					continue
				}
				// Each stands in the place of the other, though beside the same word.
				m.gone, m.partner.gone, n.gone, n.partner.gone = false, false, false, false
			}
		}
	}
	// An alignment may keep one of the two: then what stood between them and the other one have
	// moved to its other side, in the order "told alice" there and "alice told" here.
	for i := 1; i < len(p.slots); i++ {
		from, to := &p.slots[i-1], &p.slots[i]
		u, v := from.b, to.a
		if len(u) == 0 {
			u, v = from.a, to.b
		}
		kept := p.after(i - 1)
		if len(from.a)+len(from.b)+len(to.a)+len(to.b) != 2*len(u) || len(kept) == 0 || len(kept) > mostName {
			continue
		}
		n := rotated(u, v)
		if n == 0 || !p.directed(i-1, i, u[n:]) {
			continue
		}
		if x, y := &kept[0], &u[0]; n == 1 && len(kept) == 1 && x.Number() && y.Number() {
			for range 2 { // each in the place of the other
				s.lack(x, y, 1)
				s.number(p, x, y)
			}
			continue
		}
		p.exchange(s, heaviestName(kept), heaviestName(u[:n]))
	}
}

// mostName is how many words a name has.
const mostName = 3

// exchange counts two words that have exchanged places.
func (p *pair) exchange(s *sums, a, b *token.Token) {
	if a == nil || b == nil {
		return
	}
	s.exchanges++
	p.add(Exchanged, a.Written, b.Written, int32(min(nameWeight(a), nameWeight(b))))
}

// rotated returns how many words of u, mostName at most, stand last in v, of which u has the
// rest behind them; 0 if it is not so.
func rotated(u, v []token.Token) int {
	same := func(x, y token.Token) bool { return x.Hash == y.Hash }
	for n := 1; n < len(u) && n <= mostName && len(u) == len(v); n++ {
		if slices.EqualFunc(u[n:], v[:len(v)-n], same) && slices.EqualFunc(u[:n], v[len(v)-n:], same) {
			return n
		}
	}
	return 0
}

// heaviestName is the heaviest of some words; nil if there are numbers among them.
func heaviestName(words []token.Token) (best *token.Token) {
	for i := range words {
		if words[i].Number() {
			return nil
		}
		if best == nil || nameWeight(&words[i]) > nameWeight(best) {
			best = &words[i]
		}
	}
	return best
}

// mostMoves bounds what is looked through: more is reordered, not exchanged.
const mostMoves = 64

// along reports whether numbers, or words, have moved between two slots, either way.
func (p *pair) along(from, to int, numbers bool) bool {
	return slices.ContainsFunc(p.moves, func(m move) bool {
		return m.Number() == numbers && (m.from == from && m.to == to || m.from == to && m.to == from)
	})
}

// sameRow reports whether two slots lie in one text, or in one place of a long one.
func (p *pair) sameRow(i, j int) bool {
	a, b := p.slots[i].row, p.slots[j].row
	return len(a) > 0 && len(b) > 0 && &a[0] == &b[0]
}

// after are the words that both texts have between a slot and the next one.
func (p *pair) after(i int) []token.Token {
	s := &p.slots[i]
	begin, end := min(s.atA+len(s.a), len(s.row)), len(s.row)
	if i+1 < len(p.slots) && p.sameRow(i, i+1) {
		end = max(begin, p.slots[i+1].atA)
	}
	return s.row[begin:end]
}

// before are those between the slot before and this one.
func (p *pair) before(i int) []token.Token {
	if i > 0 && p.sameRow(i-1, i) {
		return p.after(i - 1)
	}
	s := &p.slots[i]
	return s.row[:min(s.atA, len(s.row))]
}

// kept are the words that both texts have between two slots.
func (p *pair) kept(from, to int) []token.Token {
	p.between = p.between[:0]
	for i := from; i < to; i++ {
		p.between = append(p.between, p.after(i)...)
	}
	return p.between
}

// directed reports whether the words between two slots say more of what stands before and behind
// them than that both are there: a word of it, or a score, of which each has a side. What follows both, or
// stands before both, is part of their names.
func (p *pair) directed(from, to int, between []token.Token) bool {
	if !p.sameRow(from, to) {
		return false
	}
	if len(between) > mostBetween {
		return false
	}
	before, after := p.before(from), p.after(to)
	for len(between) > 0 && len(after) > 0 && between[0].Hash == after[0].Hash {
		between, after = between[1:], after[1:]
	}
	for n, m := len(between), len(before); n > 0 && m > 0 && between[n-1].Hash == before[m-1].Hash; n, m = n-1, m-1 {
		between = between[:n-1]
	}
	for i := range between {
		t := &between[i]
		if !t.Number() && !token.Joins(t) || t.Number() && i > 0 && between[i-1].Number() && between[i-1].Hash != t.Hash {
			return true
		}
	}
	return false
}

// mostBetween is how many words may stand between two that exchange places: farther apart, they
// are in another order.
const mostBetween = 12
