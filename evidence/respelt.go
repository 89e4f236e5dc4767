package evidence

import (
	"slices"

	"github.com/neardup/neardup/token"
)

// respelt takes away rows of words that are parted in another way, and words that are one, written
// in two ways: half of each is lacking.
func (p *pair) respelt(s *sums) {
	a, b := p.rows[0], p.rows[1]
	if len(a) == 0 || len(b) == 0 || len(a) > mostSlot || len(b) > mostSlot {
		return
	}
	same := token.SameLetters
	if a[0].Han {
		same = token.Joined
	}
	for _, u := range p.divide(a, b) { // before a word of one is taken for one of the other
		p.parted(u, same)
	}
	for _, x := range a {
		for _, y := range b {
			if !x.gone && !y.gone && (token.Alike(x.Token, y.Token) || compounds(x.Token, y.Token)) {
				x.gone, y.gone = true, true
				s.lack(x.Token, y.Token, 2)
			}
		}
	}
	p.abbreviated(s, a, b)
	p.parted(unit{a, b}, token.Joined)
}

// parted takes away two rows that are one, parted into words in two ways.
func (p *pair) parted(u unit, same func(a, b []*token.Token) bool) {
	p.left[0], p.left[1] = rest(p.left[0][:0], u.a), rest(p.left[1][:0], u.b)
	if same(p.left[0], p.left[1]) {
		forget(u.a, nil)
		forget(u.b, nil)
	}
}

// forget takes away what is left of a row, of Chinese words only where han is not nil,
// to which their weight is added.
func forget(list []*excess, han *uint64) {
	for _, e := range list {
		if e.gone || han != nil && !e.Han {
			continue
		}
		e.gone = true
		if han != nil {
			*han += uint64(e.Weight)
		}
	}
}

// abbreviated takes away Chinese words of which one side leaves characters of the
// other out, as 东电 and 东京电力, or cuts them in other places: what is left out
// the longer one has more, by its share of the characters.
func (p *pair) abbreviated(s *sums, a, b []*excess) {
	says := func(e *excess) bool { return !e.gone && token.Negates(e.Token) }
	if slices.ContainsFunc(a, says) != slices.ContainsFunc(b, says) {
		return // a negation is not left out
	}
	x, y := hanRunes(a), hanRunes(b)
	longer := 1
	if len(x) > len(y) {
		x, y, a, b, longer = y, x, b, a, 0
	}
	if len(x) < 2 || !subsequence(x, y) {
		return
	}
	weight, ignored := uint64(0), uint64(0)
	forget(b, &weight)
	forget(a, &ignored)
	s.lacking[longer] += weight * uint64(len(y)-len(x)) / uint64(len(y))
}

func hanRunes(list []*excess) (runes []rune) {
	for _, e := range list {
		if !e.gone && e.Han {
			runes = append(runes, []rune(e.Written)...)
		}
	}
	return runes
}

func subsequence(x, y []rune) bool {
	for _, r := range y {
		if len(x) > 0 && x[0] == r {
			x = x[1:]
		}
	}
	return len(x) == 0
}

// rest appends what is left of a row.
func rest(dst []*token.Token, list []*excess) []*token.Token {
	for _, e := range list {
		if !e.gone {
			dst = append(dst, e.Token)
		}
	}
	return dst
}
