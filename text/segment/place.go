package segment

import (
	"math/bits"
	"slices"
)

// array is the double array while it is filled. Free slots are a list in
// ascending order, so that a search skips the full ones.
type array struct {
	slots  []slot
	next   []uint32 // the free slot after this one
	prev   []uint32
	based  []bool // bases in use
	cursor uint32 // where the search for nodes of one width continues; 0: at the start
	codes  uint32 // the greatest code, which no slot carries
}

// pack moves the tree into the double array. The nodes with most children come first, so that the others fill
// the gaps. The search for nodes of one size (to a factor of 2) never goes back, which keeps it linear.
func (t *trie) pack(tree []branch, none uint16) {
	a := &array{codes: uint32(none)}
	a.extend(len(tree) + len(tree)/16 + int(none))
	base := make([]uint32, len(tree))
	for size := 16; size > 0; size-- {
		a.cursor = 0
		for id := 1; id < len(tree); id++ {
			if bits.Len16(tree[id].children) == size {
				base[id] = a.put(tree, tree[id].child)
			}
		}
	}
	for id := 1; id < len(tree); id++ {
		for c := tree[id].child; c != 0; c = tree[c].next {
			a.slots[base[id]+uint32(tree[c].code)].base = base[c]
		}
	}
	t.slots = slices.Clone(a.used())
	t.roots = make([]root, int(none)+1)
	for id := tree[0].child; id != 0; id = tree[id].next {
		t.roots[tree[id].code] = root{base: base[id], cost: tree[id].cost}
	}
}

// patience is how many free slots a search tries before the first of them is
// given up: more makes the array denser and the building slower.
const patience = 32

// put finds a base at which all siblings from first on fall on free slots,
// and fills these.
func (a *array) put(tree []branch, first uint32) (base uint32) {
	least := tree[first].code
	for c := first; c != 0; c = tree[c].next {
		least = min(least, tree[c].code)
	}
	at := a.cursor
	if at == 0 {
		at = a.next[0]
	}
	a.cursor = at
	for tries := 0; ; at = a.next[at] {
		for int(at)+int(a.codes) >= len(a.slots) {
			a.extend(len(a.slots) / 8)
		}
		base = at - uint32(least)
		if at > uint32(least) && !a.based[base] && a.fits(tree, first, base) {
			break
		}
		tries++
		if tries > patience {
			a.cursor = a.next[a.cursor]
		}
	}
	a.based[base] = true
	for c := first; c != 0; c = tree[c].next {
		i := base + uint32(tree[c].code)
		a.slots[i] = slot{code: tree[c].code, cost: tree[c].cost}
		if i == a.cursor {
			a.cursor = a.next[i]
		}
		a.next[a.prev[i]], a.prev[a.next[i]] = a.next[i], a.prev[i]
	}
	return base
}

func (a *array) fits(tree []branch, first, base uint32) bool {
	for c := first; c != 0; c = tree[c].next {
		if a.slots[base+uint32(tree[c].code)].code != 0 {
			return false
		}
	}
	return true
}

// extend adds n free slots. Slot 0 is the head of the list and the last one
// its end; neither is ever filled.
func (a *array) extend(n int) {
	n = max(n, int(a.codes)) + 2
	from := len(a.slots)
	a.slots = slices.Grow(a.slots, n)[:from+n]
	a.next = slices.Grow(a.next, n)[:from+n]
	a.prev = slices.Grow(a.prev, n)[:from+n]
	a.based = slices.Grow(a.based, n)[:from+n]
	for i := max(from, 1); i < from+n; i++ {
		a.next[i-1], a.prev[i] = uint32(i), uint32(i-1)
	}
}

// used returns the array up to the last base, plus one slot for each code, so that no step from a base leaves
// it.
func (a *array) used() []slot {
	last := 0
	for i, based := range a.based {
		if based {
			last = i
		}
	}
	return a.slots[:last+int(a.codes)+1]
}
