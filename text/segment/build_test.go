package segment

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// newTrie builds the double array from sorted entries. Nodes are placed first
// fit, those with most children first, so that the small ones fill the gaps.
func newTrie(d *dictionary) (trie, error) {
	var t trie
	codes := t.assignCodes(d)
	tree, err := t.grow(d)
	if err != nil {
		return t, err
	}
	t.pack(tree, codes)
	return t, nil
}

// assignCodes gives the smallest codes, from 1, to the characters that are most frequent in words. All other
// characters get the code after the last, which it returns.
func (t *trie) assignCodes(d *dictionary) (none uint16) {
	var count [lastHan + 1]int
	for _, e := range d.entries {
		for _, r := range e.word {
			if inWord(r) {
				count[r]++
			}
		}
	}
	var used []rune
	for r, n := range count {
		if n > 0 {
			used = append(used, rune(r))
		}
	}
	slices.SortStableFunc(used, func(a, b rune) int { return count[b] - count[a] })
	none = uint16(len(used) + 1)
	for i := range t.han {
		t.han[i] = none
	}
	for i := range t.ascii {
		t.ascii[i] = none
	}
	for i, r := range used {
		*t.codeOf(r) = uint16(i + 1)
	}
	return none
}

func (t *trie) codeOf(r rune) *uint16 {
	if r < utf8.RuneSelf {
		return &t.ascii[r]
	}
	return &t.han[r-firstHan]
}

// branch is a node of the pointer tree that precedes the double array.
type branch struct {
	child, next, last uint32 // first child, next sibling, last child; 0: none
	children          uint16
	code, cost        uint16
}

// grow makes the tree; tree[0] is its root. Frequencies become indexes of
// t.costs, one for each different frequency.
func (t *trie) grow(d *dictionary) ([]branch, error) {
	tree := make([]branch, 1, len(d.entries)*3/2+2)
	index := map[uint64]uint16{}
	t.costs = append(t.costs, cost(1, d.total))
	t.freqs = append(t.freqs, 0)
	var path []uint32 // nodes of the word before, from its first character
	var before string
	for _, e := range d.entries {
		if wordEnd(e.word, 0) != len(e.word) {
			continue // unreachable: texts are split before it
		}
		depth, at := shared(before, e.word)
		path = path[:depth]
		for at < len(e.word) {
			c, size := t.code(e.word, at)
			at += size
			parent := uint32(0)
			if len(path) > 0 {
				parent = path[len(path)-1]
			}
			tree = append(tree, branch{code: c})
			path = append(path, attach(tree, parent))
		}
		before, t.longest = e.word, max(t.longest, len(path))
		if e.freq == 0 {
			continue
		}
		i, known := index[e.freq]
		if !known {
			if len(t.costs) > math.MaxUint16 {
				return nil, errors.New("dictionary has more than 65,535 different frequencies")
			}
			i = uint16(len(t.costs))
			index[e.freq] = i
			t.costs = append(t.costs, cost(e.freq, d.total))
			t.freqs = append(t.freqs, e.freq)
		}
		tree[path[len(path)-1]].cost = i
	}
	return tree, nil
}

// attach makes the last node of the tree a child of parent.
func attach(tree []branch, parent uint32) uint32 {
	id := uint32(len(tree) - 1)
	p := &tree[parent]
	if p.child == 0 {
		p.child = id
	} else {
		tree[p.last].next = id
	}
	p.last = id
	p.children++
	return id
}

// shared returns how many characters two words have in common at the start,
// and how many bytes.
func shared(a, b string) (runes, bytes int) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n < len(b) && n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return utf8.RuneCountInString(b[:n]), n
}

// dictionary is a list of words sorted by their bytes, each once.
type dictionary struct {
	entries []entry
	total   uint64 // sum of all frequencies, at least 1
}

type entry struct {
	word string
	freq uint64
}

// sort orders the entries and keeps the last of each word.
func (d *dictionary) sort() {
	slices.SortStableFunc(d.entries, func(a, b entry) int { return strings.Compare(a.word, b.word) })
	kept := d.entries[:0]
	for i, e := range d.entries {
		if i+1 == len(d.entries) || d.entries[i+1].word != e.word {
			kept = append(kept, e)
		}
	}
	d.entries = kept
}

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

// inWord reports whether a character may be part of a word.
func inWord(r rune) bool {
	return (r < utf8.RuneSelf && wordByte[r]) || (firstHan <= r && r <= lastHan)
}
