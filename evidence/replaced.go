package evidence

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/token"
)

// numbers pairs numbers that stand in the place of numbers.
func (p *pair) numbers(s *sums, a, b []*excess) {
	for _, x := range a {
		if x.gone || !x.Fact() {
			continue
		}
		for len(b) > 0 {
			y := b[0]
			b = b[1:]
			if !y.gone && y.Fact() {
				x.gone, y.gone = true, true
				s.lack(x.Token, y.Token, 1)
				s.number(p, x.Token, y.Token)
				break
			}
		}
	}
}

// number counts a number in the place of another.
func (s *sums) number(p *pair, x, y *token.Token) {
	s.numberWeight += uint64(min(x.Weight, y.Weight))
	s.numbers++
	p.add(Number, x.Written, y.Written, token.Unit)
}

// opposites finds a word in the place of its opposite.
func (p *pair) opposites(s *sums, a, b []*excess) {
	for _, x := range a {
		for _, y := range b {
			if !x.gone && !y.gone && token.Opposites(x.Token, y.Token) {
				x.gone, y.gone = true, true
				s.lack(x.Token, y.Token, 1)
				if token.Ordinals(x.Token, y.Token) {
					s.number(p, x.Token, y.Token)
					continue
				}
				s.v[Opposite] += token.Unit
				p.add(Opposite, x.Written, y.Written, token.Unit)
			}
		}
	}
}

// titleWords are the first words, in which one in the place of another is what
// the text is about.
const titleWords = 12

// words pairs the heaviest words of a place with the heaviest of the other
// text, as long as both have one. Where one has many more there, it is rather a
// passage more than one word for another, and counts less.
func (p *pair) words(s *sums, slot int, a, b []*excess) {
	n, m := left(a), left(b)
	for {
		x, y := heaviest(a), heaviest(b)
		if x == nil || y == nil {
			return
		}
		x.gone, y.gone = true, true
		weight, parts := min(nameWeight(x.Token), nameWeight(y.Token)), uint64(1)
		if x.Han && y.Han && strings.ContainsAny(x.Text, y.Text) {
			parts = 2 // compounds of one morpheme more often than not
		}
		s.lack(x.Token, y.Token, parts)
		weight = 2 * weight / uint32(parts) * uint32(min(n, m)) / uint32(n+m)
		if p.slots[slot].title {
			s.v[Title] = max(s.v[Title], int32(weight))
			p.add(Title, x.Written, y.Written, int32(weight))
		}
		p.add(Focus, x.Written, y.Written, int32(weight))
		p.replaced = append(p.replaced, replacement{x.Hash, y.Hash, weight, false})
	}
}

// compounds reports whether two Chinese words share a character that stands first in one
// and last in the other: 测试 and 检测 are ways to say one thing more often than
// not, and hardly ever two names of a kind, as 江西 and 江苏 are.
func compounds(x, y *token.Token) bool {
	if !x.Han || !y.Han || x.Number() || y.Number() || token.Negates(x) != token.Negates(y) {
		return false
	}
	return strings.HasSuffix(x.Text, firstRune(y.Text)) != strings.HasSuffix(y.Text, firstRune(x.Text))
}

func firstRune(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}

// left counts the words of a row that are no numbers.
func left(list []*excess) (n int) {
	for _, e := range list {
		if !e.gone && !e.Number() {
			n++
		}
	}
	return n
}

func heaviest(list []*excess) *excess {
	var best *excess
	for _, e := range list {
		if !e.gone && !e.Number() && (best == nil || nameWeight(e.Token) > nameWeight(best.Token)) {
			best = e
		}
	}
	return best
}

// atEdge reports whether a slot is at the head or the tail of both texts.
func (p *pair) atEdge(i int) bool {
	s := &p.slots[i]
	return s.before == 0 && i == 0 || s.after == 0 && i == len(p.slots)-1
}

// focus counts what is replaced: how much of the difference one word in the place of the same other
// one is, its weight times log2 of how often, times how often, for the most of them; and how many
// different ones have nothing beside them, with their weight.
func (p *pair) focus(s *sums) {
	slices.SortFunc(p.replaced, func(x, y replacement) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	for i := 0; i < len(p.replaced); {
		j, weight, clean := i, uint32(0), false
		for ; j < len(p.replaced) && p.replaced[j].a == p.replaced[i].a && p.replaced[j].b == p.replaced[i].b; j++ {
			weight = max(weight, p.replaced[j].weight)
			clean = clean || p.replaced[j].clean
		}
		if clean {
			s.filled++
			s.filledBy += uint64(weight)
		}
		s.focus = max(s.focus, int64(j-i)*int64(log2(uint64(1+j-i)*token.Unit))/token.Unit*int64(weight))
		i = j
	}
}
