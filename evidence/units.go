package evidence

import "slices"

// unit is a part of two rows of words, from one cut that both have to the next: so many words of each.
type unit struct{ a, b []*excess }

// letters are the characters of a row of Chinese words, and before each, and behind them all, how many words
// have ended there; 0: within one.
type letters struct {
	runes []rune
	ends  []int
}

// of takes a row, and reports whether it is of Chinese words alone.
func (l *letters) of(list []*excess) bool {
	l.runes, l.ends = l.runes[:0], append(l.ends[:0], 1)
	for i, e := range list {
		if !e.Han || e.Number() {
			return false
		}
		for _, r := range e.Written {
			l.runes, l.ends = append(l.runes, r), append(l.ends, 0)
		}
		l.ends[len(l.ends)-1] = i + 2
	}
	return true
}

const (
	mostLetters = 64      // of a row that is divided
	oneEdit     = 1 << 10 // what an edit costs, where a cut in both rows spares 1
)

// divide divides two rows of Chinese words at the cuts that both have, along a way of fewest edits between their
// characters, and of these one with most of such cuts: a character more, or another, has the words around it cut in
// another way, and one word would stand against part of another. O(letters of a * letters of b).
func (p *pair) divide(a, b []*excess) []unit {
	p.units = p.units[:0]
	x, y := &p.letters[0], &p.letters[1]
	if len(a)+len(b) <= 2 || !x.of(a) || !y.of(b) || max(len(x.runes), len(y.runes)) > mostLetters {
		return append(p.units, unit{a, b})
	}
	turned := slices.Compare(x.runes, y.runes) > 0 // the same way, whichever comes first
	if turned {
		x, y, a, b = y, x, b, a
	}
	n, m := len(x.runes), len(y.runes)
	wide := m + 1
	p.costs = slices.Grow(p.costs[:0], (n+1)*wide)[:(n+1)*wide]
	cost := func(i, j int) *int32 { return &p.costs[i*wide+j] } // from there to the end
	keep := func(i, j int) int32 {
		if x.runes[i] == y.runes[j] {
			return *cost(i+1, j+1)
		}
		return *cost(i+1, j+1) + oneEdit
	}
	for i := n; i >= 0; i-- {
		for j := m; j >= 0; j-- {
			least := int32(0)
			switch {
			case i < n && j < m:
				least = min(keep(i, j), *cost(i+1, j)+oneEdit, *cost(i, j+1)+oneEdit)
			case i < n:
				least = *cost(i+1, j) + oneEdit
			case j < m:
				least = *cost(i, j+1) + oneEdit
			}
			if x.ends[i] > 0 && y.ends[j] > 0 {
				least--
			}
			*cost(i, j) = least
		}
	}
	i, j, fromA, fromB := 0, 0, 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && keep(i, j) <= min(*cost(i+1, j), *cost(i, j+1))+oneEdit:
			i++
			j++
		case j == m || i < n && *cost(i+1, j) <= *cost(i, j+1):
			i++
		default:
			j++
		}
		if endA, endB := x.ends[i]-1, y.ends[j]-1; endA >= 0 && endB >= 0 {
			u := unit{a[fromA:endA], b[fromB:endB]}
			if turned {
				u.a, u.b = u.b, u.a
			}
			p.units = append(p.units, u)
			fromA, fromB = endA, endB
		}
	}
	return p.units
}
