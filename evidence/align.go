package evidence

import (
	"slices"

	"github.com/neardup/neardup/token"
)

// slot is a place in which two texts differ: what the one has there and the
// other in its place, of which one may be nothing.
type slot struct {
	a, b          []token.Token
	atA, atB      int           // where they begin
	before, after uint64        // the words around it, which both texts have; 0: none
	title         bool          // it is in the title of both
	row           []token.Token // of a, in which it was found
}

// aligner aligns the words of two texts. It keeps its memory.
type aligner struct {
	lengths []uint16
	slots   []slot
}

// align appends to l.slots the slots of two texts along a longest common
// subsequence of their words, what is equal at both ends first.
// O(len(a)*len(b)) between.
func (l *aligner) align(a, b []token.Token) {
	from := len(l.slots)
	l.differences(a, b)
	l.mend(a, b, from)
}

// mend takes away places in which two Chinese characters in a row have been
// exchanged: words around them are cut in another way, so it may be two places with
// a word between.
func (l *aligner) mend(a, b []token.Token, from int) {
	kept := l.slots[:from]
	for i := from; i < len(l.slots); i++ {
		s := &l.slots[i]
		if transposed(s.a, s.b) {
			continue
		}
		if i+1 < len(l.slots) {
			n := &l.slots[i+1]
			endA, endB := n.atA+len(n.a), n.atB+len(n.b)
			if n.atA-s.atA-len(s.a) == 1 && transposed(a[s.atA:endA], b[s.atB:endB]) {
				i++
				continue
			}
		}
		kept = append(kept, *s)
	}
	l.slots = kept
}

// transposed reports whether two rows of Chinese words have the same characters
// but for two in a row, which have exchanged places.
func transposed(a, b []token.Token) bool {
	const most = 16
	var runes [2][most]rune
	n := [2]int{}
	for side, list := range [2][]token.Token{a, b} {
		for i := range list {
			if !list[i].Han || list[i].Number() {
				return false
			}
			for _, r := range list[i].Written {
				if n[side] == most {
					return false
				}
				runes[side][n[side]] = r
				n[side]++
			}
		}
	}
	if n[0] != n[1] || n[0] < 2 {
		return false
	}
	x, y := runes[0][:n[0]], runes[1][:n[0]]
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}

// differences appends the slots as they are.
func (l *aligner) differences(a, b []token.Token) {
	head := 0
	for head < len(a) && head < len(b) && a[head].Hash == b[head].Hash {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].Hash == b[len(b)-1-tail].Hash {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	slot := func(fromI, i, fromJ, j int) {
		s := slot{a: x[fromI:i], b: y[fromJ:j], atA: head + fromI, atB: head + fromJ}
		if s.atA > 0 && s.atB > 0 {
			s.before = a[s.atA-1].Hash
		}
		if end := head + i; end < len(a) && head+j < len(b) {
			s.after = a[end].Hash
		}
		l.slot(s)
	}
	if len(x) == 0 || len(y) == 0 {
		slot(0, len(x), 0, len(y))
		return
	}
	l.fill(x, y)
	wide := len(y) + 1
	i, j, fromI, fromJ := 0, 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i].Hash == y[j].Hash:
			slot(fromI, i, fromJ, j)
			i++
			j++
			fromI, fromJ = i, j
		case l.lengths[(i+1)*wide+j] >= l.lengths[i*wide+j+1]:
			i++
		default:
			j++
		}
	}
	slot(fromI, len(x), fromJ, len(y))
}

func (l *aligner) slot(s slot) {
	if len(s.a) > 0 || len(s.b) > 0 {
		l.slots = append(l.slots, s)
	}
}

// narrow is how many words of x may have no partner in y where that is tried first:
// texts that are compared are alike as a rule.
const narrow = 24

// fill computes, for the ends of x and y that a longest common subsequence can
// lead to, the length of that of what follows; for their neighbours what is no more than it.
// O(len(x)*d) where d words differ, and at most O(len(x)*len(y)).
func (l *aligner) fill(x, y []token.Token) {
	wide := len(y) + 1
	l.lengths = slices.Grow(l.lengths[:0], (len(x)+1)*wide)[:(len(x)+1)*wide]
	least := max(0, len(x)-len(y))
	// A subsequence of n words leaves len(x)-n words of x out, so no longer one leaves
	// more out, and lies within that many steps: the second time always suffices.
	for alone := min(len(x), least+narrow); ; alone = len(x) - int(l.lengths[0]) {
		l.band(x, y, alone)
		if len(x)-int(l.lengths[0]) <= alone {
			return
		}
	}
}

// band fills what can be reached if so many words of x at most have no partner; its
// borders hold 0.
func (l *aligner) band(x, y []token.Token, alone int) {
	wide := len(y) + 1
	right := alone + len(y) - len(x) // how many of y then have none
	for i := len(x); i >= 0; i-- {
		row := l.lengths[i*wide : (i+1)*wide]
		lo, hi := max(0, i-alone), min(len(y), i+right)
		if lo > 0 {
			row[lo-1] = 0
		}
		if hi < len(y) {
			row[hi+1] = 0
		}
		if i == len(x) {
			clear(row[lo : hi+1])
			continue
		}
		below := l.lengths[(i+1)*wide : (i+2)*wide]
		if hi == len(y) {
			row[hi] = 0
			hi--
		}
		for j := hi; j >= lo; j-- {
			if x[i].Hash == y[j].Hash {
				row[j] = below[j+1] + 1
			} else {
				row[j] = max(below[j], row[j+1])
			}
		}
	}
}
