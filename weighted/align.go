package weighted

import (
	"slices"

	"github.com/neardup/neardup"
)

// slot is a place in which two texts differ: what the one has there and the
// other in its place, of which one may be nothing.
type slot struct {
	a, b []token
	// before the first word in common, behind the last one
	front, back bool
}

// edge reports whether a greeting or a footer may stand in the slot.
func (s *slot) edge() bool { return s.front || s.back }

// aligner aligns the words of two texts. It keeps its memory.
type aligner struct {
	lengths []uint16
	slots   []slot
	sides   [2]opened
}

// open gives two views their tokens. Of one view compared with many it keeps them.
func (l *aligner) open(a, b *View) (*opened, *opened) {
	x, y := &l.sides[0], &l.sides[1]
	if y.View == a || x.View == b {
		x, y = y, x
	}
	x.open(a)
	y.open(b)
	return x, y
}

// align returns the slots of two texts along a longest common subsequence of
// their words, what is equal at both ends first. O(len(a)*len(b)) between.
func (l *aligner) align(a, b []token) []slot {
	l.slots = l.slots[:0]
	head := 0
	for head < len(a) && head < len(b) && a[head].hash == b[head].hash {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].hash == b[len(b)-1-tail].hash {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x) == 0 || len(y) == 0 {
		l.slot(x, y, head == 0, tail == 0)
		return l.slots
	}
	l.fill(x, y)
	wide := len(y) + 1
	i, j, fromI, fromJ := 0, 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i].hash == y[j].hash:
			l.slot(x[fromI:i], y[fromJ:j], head == 0 && fromI == 0 && fromJ == 0, false)
			i++
			j++
			fromI, fromJ = i, j
		case l.lengths[(i+1)*wide+j] >= l.lengths[i*wide+j+1]:
			i++
		default:
			j++
		}
	}
	l.slot(x[fromI:], y[fromJ:], head == 0 && fromI == 0 && fromJ == 0, tail == 0)
	return l.slots
}

func (l *aligner) slot(a, b []token, front, back bool) {
	if len(a) > 0 || len(b) > 0 {
		l.slots = append(l.slots, slot{a, b, front, back})
	}
}

// narrow is how many words of x may have no partner in y where that is tried first:
// texts that are compared are alike as a rule.
const narrow = 24

// fill computes, for the ends of x and y that a longest common subsequence can
// lead to, the length of that of what follows; for their neighbours what is no more than it.
// O(len(x)*d) where d words differ, and at most O(len(x)*len(y)).
func (l *aligner) fill(x, y []token) {
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
func (l *aligner) band(x, y []token, alone int) {
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
			if x[i].hash == y[j].hash {
				row[j] = below[j+1] + 1
			} else {
				row[j] = max(below[j], row[j+1])
			}
		}
	}
}

// conflicts lists the facts that two texts state differently, at most most of
// them. The texts are put in one order first, so that the alignment, of which
// there may be several of the same length, is the same both ways.
func (l *aligner) conflicts(a, b *View, facts []string, most int) []neardup.Conflict {
	if max(a.count, b.count) > mostTokens {
		return nil
	}
	x, y := l.open(a, b)
	swapped := before(y.tokens, x.tokens)
	if swapped {
		x, y = y, x
	}
	j := judge{a: x, b: y, facts: facts, most: most}
	j.slots(l.align(x.tokens, y.tokens))
	j.whole()
	return swappedBack(j.found, swapped)
}

func swappedBack(found []neardup.Conflict, swapped bool) []neardup.Conflict {
	for i := range found {
		if c := &found[i]; swapped {
			c.A, c.B = c.B, c.A
		}
	}
	return found
}

// before orders texts by their words.
func before(a, b []token) bool {
	return slices.CompareFunc(a, b, func(x, y token) int {
		switch {
		case x.hash < y.hash:
			return -1
		case x.hash > y.hash:
			return 1
		}
		return 0
	}) < 0
}
