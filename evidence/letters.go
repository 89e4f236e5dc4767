package evidence

import (
	"slices"
	"strings"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/token"
)

// letters compares the letters of the two sides of a hunk. It reuses its memory.
type letters struct {
	text [2][]rune
	rows [3][]uint16
}

const (
	mostLetters = 120 // most letters of a hunk that are compared
	// leastLikeness is the likeness, in units of 1/Unit, below which the sides of a hunk have nothing in common.
	leastLikeness = token.Unit * 34 / 100
	// Words above rareWeight are rare. Two forms of a rare word share leastStem letters, and each has at most mostEnding
	// letters after them.
	rareWeight            = 5 * token.Unit
	leastStem, mostEnding = 4, 3
)

// likeness returns 1 minus the edits per letter of the longer side, in units of 1/Unit. If that is below leastLikeness, it
// returns 0. An edit inserts, deletes or replaces a letter, or exchanges two neighbours (Damerau 1964). So typing errors,
// spellings, inflections and word breaks are alike. If a hunk has facts, the letters must be equal.
func (l *letters) likeness(a, b []*unmatched, facts bool) uint64 {
	for side, list := range [2][]*unmatched{a, b} {
		l.text[side] = l.text[side][:0]
		for _, e := range list {
			for _, r := range e.Written {
				if len(l.text[side]) < mostLetters {
					l.text[side] = append(l.text[side], text.Unaccented(r))
				}
			}
		}
	}
	x, y := l.text[0], l.text[1]
	word := len(a) == 1 && len(b) == 1
	switch {
	case slices.Equal(x, y):
		return token.Unit
	case facts || (word && names(a[0].Token, b[0].Token, x, y)):
		return 0
	case word && a[0].Han && b[0].Han && strings.ContainsAny(a[0].Text, b[0].Text):
		return token.Unit / 2 // compounds that share a morpheme, such as 测试 and 检测
	}
	longer, shorter := max(len(x), len(y)), min(len(x), len(y))
	if token.Unit*shorter < leastLikeness*longer {
		return 0
	}
	s := uint64(token.Unit * (longer - l.edits(x, y)) / longer)
	if s < leastLikeness {
		return 0
	}
	return s
}

// names reports whether two words with the letters x and y are two different names, so one is unlikely to be a typing error
// for the other. That is the case if neither is in the tables. It is also the case if both are, both are rare, and they
// differ in more than the ending of a stem.
func names(a, b *token.Token, x, y []rune) bool {
	stem := 0
	for stem < min(len(x), len(y)) && x[stem] == y[stem] {
		stem++
	}
	form := a.Han || (stem >= leastStem && max(len(x), len(y))-stem <= mostEnding)
	return a.Known == b.Known && (!a.Known || (!form && min(a.Weight, b.Weight) > rareWeight))
}

// edits returns the edit distance with exchanges (optimal string alignment). O(len(x)*len(y)).
func (l *letters) edits(x, y []rune) int {
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	for i := range l.rows {
		l.rows[i] = slices.Grow(l.rows[i][:0], len(y)+1)[:len(y)+1]
	}
	beforeLast, last, current := l.rows[0], l.rows[1], l.rows[2]
	for j := range last {
		last[j] = uint16(j)
	}
	for i := range x {
		current[0] = uint16(i + 1)
		for j := range y {
			cost := last[j]
			if x[i] != y[j] {
				cost = min(cost, last[j+1], current[j]) + 1
				if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
					cost = min(cost, beforeLast[j-1]+1)
				}
			}
			current[j+1] = cost
		}
		beforeLast, last, current = last, current, beforeLast
	}
	return int(last[len(y)])
}
