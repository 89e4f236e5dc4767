package evidence

import (
	"slices"

	"github.com/neardup/neardup/token"
)

// slot is a place in which two texts differ: the words of the one and the words of the other, of which one may
// be empty.
type slot struct {
	a, b          []token.Token
	before, after uint64 // the words around it, which both texts have; 0: none
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
		s := slot{a: x[fromI:i], b: y[fromJ:j]}
		if head+fromI > 0 && head+fromJ > 0 {
			s.before = a[head+fromI-1].Hash
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

// fill computes the length of the longest common subsequence of what follows, for the ends of x and y that such
// a subsequence can lead to. For their neighbours it computes a lower bound. O(len(x)*d) if d words differ, and
// at most O(len(x)*len(y)).
func (l *aligner) fill(x, y []token.Token) {
	wide := len(y) + 1
	l.lengths = slices.Grow(l.lengths[:0], (len(x)+1)*wide)[:(len(x)+1)*wide]
	least := max(0, len(x)-len(y))
	// A subsequence of n words leaves len(x)-n words of x out, so no longer one leaves out more. It stays
	// within that many steps, so the second pass always suffices.
	for alone := min(len(x), least+narrow); ; alone = len(x) - int(l.lengths[0]) {
		l.band(x, y, alone)
		if len(x)-int(l.lengths[0]) <= alone {
			return
		}
	}
}

// band fills what can be reached if at most alone words of x have no partner. Its borders hold 0.
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
