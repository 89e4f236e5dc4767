package segment

import "math"

// edge is a dictionary word that starts at a character.
type edge struct {
	runes uint32 // its length
	cost  uint32 // its index in trie.costs
}

// lattice holds the memory of one search: the words of a stretch.
type lattice struct {
	at    []int    // byte offset of each character
	from  []uint32 // index of its first edge
	edges []edge
	best  []int64  // log probability of the best path from here to the end
	next  []uint32 // end of the first word of that path
}

// If a path gets this improbable, the values are rebased.
const rebaseBelow = math.MinInt64 / 4

// stretch cuts the text from p up to the first position that no dictionary word crosses, and at most up to end. It returns
// that position. If several words lead to equal probability, the longest wins.
func (c *cutter) stretch(p, end int) int {
	l := &c.lattice
	first := c.walk(p, end, 0)
	if first == 1 && len(l.edges) == 1 {
		_, size := c.trie.code(c.s, p)
		c.word(p, p+size, 1)
		return p + size
	}
	q := p
	for i, reach := uint32(0), first; ; {
		_, size := c.trie.code(c.s, q)
		q += size
		i++
		if i == reach {
			break
		}
		reach = max(reach, c.walk(q, end, i))
	}
	l.at = append(l.at, q)
	l.from = append(l.from, uint32(len(l.edges)))
	c.solve()
	n := uint32(len(l.at) - 1)
	for i := uint32(0); i < n; i = l.next[i] {
		c.word(l.at[i], l.at[l.next[i]], int(l.next[i]-i))
	}
	return q
}

// walk adds the words that start at p, which is character i of the stretch. It returns where the longest of them ends.
func (c *cutter) walk(p, end int, i uint32) (reach uint32) {
	l, t := &c.lattice, &c.trie
	if i == 0 {
		l.at, l.from, l.edges = l.at[:0], l.from[:0], l.edges[:0]
	}
	l.at = append(l.at, p)
	l.from = append(l.from, uint32(len(l.edges)))
	code, size := t.code(c.s, p)
	if c.own.heads != nil && c.own.heads[code] != 0 {
		return i + c.ownWords(p, end)
	}
	root := t.roots[code]
	runes, longest := uint32(1), uint32(0)
	if root.cost != 0 {
		longest = 1
		l.edges = append(l.edges, edge{1, uint32(root.cost)})
	}
	for base := root.base; base != 0 && p+size < end; {
		p += size
		code, size = t.code(c.s, p)
		at := t.slots[base+uint32(code)]
		if at.code != code {
			break
		}
		runes++
		if at.cost != 0 {
			longest = runes
			l.edges = append(l.edges, edge{runes, uint32(at.cost)})
		}
		base = at.base
	}
	if longest == 0 {
		longest = 1
		l.edges = append(l.edges, edge{1, 0})
	}
	return i + longest
}

// ownWords adds the words that start at p and returns the length of the longest. A word of the user's dictionaries replaces
// the built-in one.
func (c *cutter) ownWords(p, end int) (longest uint32) {
	l, t := &c.lattice, &c.trie
	code, size := t.code(c.s, p)
	at, shortest := t.roots[code], uint32(c.own.heads[code])
	known := at != root{}
	for q, runes := p+size, uint32(1); ; runes++ {
		cost, own := uint32(at.cost), false
		if runes >= shortest {
			if of, ok := c.own.costs[c.s[p:q]]; ok {
				cost, own = of, true
			}
		}
		if cost != 0 {
			longest = runes
			l.edges = append(l.edges, edge{runes, cost})
		}
		if (!own && !known) || q == end {
			break
		}
		code, size = t.code(c.s, q)
		at, known = t.after(at, code)
		q += size
	}
	if longest == 0 {
		longest = 1
		l.edges = append(l.edges, edge{1, 0})
	}
	return longest
}

// has reports whether a run of characters is a word.
func (c *cutter) has(run string) bool {
	if cost, own := c.own.costs[run]; own {
		return cost != 0
	}
	return c.trie.has(run)
}

// solve sets best and next, from the end of the stretch to its start.
func (c *cutter) solve() {
	l, costs := &c.lattice, c.trie.costs
	n := len(l.at) - 1
	if cap(l.best) <= n {
		l.best, l.next = make([]int64, 2*n+2), make([]uint32, 2*n+2)
	}
	best, next := l.best[:n+1], l.next[:n+1]
	best[n] = 0
	for i := n - 1; i >= 0; i-- {
		top, end := int64(math.MinInt64), uint32(0)
		for _, e := range l.edges[l.from[i]:l.from[i+1]] {
			j := uint32(i) + e.runes
			if v := costs[e.cost] + best[j]; v >= top {
				top, end = v, j
			}
		}
		best[i], next[i] = top, end
		if top < rebaseBelow {
			for j := i; j <= min(n, i+c.trie.longest); j++ {
				best[j] -= top
			}
		}
	}
	l.best, l.next = best, next
}
