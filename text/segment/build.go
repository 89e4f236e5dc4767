package segment

import (
	"errors"
	"math"
	"slices"
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
