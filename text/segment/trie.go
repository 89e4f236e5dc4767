package segment

import (
	"unicode/utf8"

	"github.com/neardup/neardup/internal/intlog"
)

// trie is the dictionary as a double array (Aoe 1989) over characters. The child of a node with base b by the character of
// code c is slot b+c, if that slot has the code c. No two nodes share a base, so the code is a sufficient check, and a slot
// takes 8 bytes. A step reads one cache line. The first character has a separate table.
type trie struct {
	han     [hanCount]uint16      // code of each Chinese character
	ascii   [utf8.RuneSelf]uint16 // code of each ASCII character
	roots   []root                // indexed by the code of the first character
	slots   []slot                // the double array
	costs   []int64               // log probability by index; index 0 is for prefixes that are not words
	freqs   []uint64              // frequency by index
	longest int                   // runes of the longest word
}

// slot is a node, or free (code 0). cost is an index in trie.costs, where 0 means that the characters so far are not a
// word. If base is 0, no longer word follows.
type slot struct {
	base uint32
	code uint16
	cost uint16
}

type root struct {
	base uint32
	cost uint16
}

// costBits is the number of binary places of a cost. A path of 2^18 words fits an int64, and path.go rebases values before
// that.
const costBits = 40

// cost returns the log probability of a word: ln(freq/total) in units of 2^-40.
func cost(freq, total uint64) int64 {
	return (intlog.Ln(freq) - intlog.Ln(total)) >> (intlog.Bits - costBits)
}

// code returns the code and the length in bytes of the word character at p. A character that no dictionary word has gets
// the greatest code, which no slot has.
func (t *trie) code(s string, p int) (code uint16, size int) {
	if c := s[p]; c < utf8.RuneSelf {
		return t.ascii[c], 1
	}
	return t.han[hanAt(s, p)], 3
}

// has reports whether a run of characters is a dictionary word.
func (t *trie) has(word string) bool {
	cost, _ := t.find(word)
	return cost != 0
}

// find returns the index of the cost of a word, or 0 if it is not a word. known reports whether any word begins with it.
func (t *trie) find(word string) (cost uint16, known bool) {
	if word == "" || wordEnd(word, 0) != len(word) {
		return 0, false
	}
	c, p := t.code(word, 0)
	at := t.roots[c]
	known = at != root{}
	for p < len(word) {
		c, size := t.code(word, p)
		at, known = t.after(at, c)
		p += size
	}
	return at.cost, known
}

// after returns the node that a character leads to. ok is false if there is none.
func (t *trie) after(at root, code uint16) (root, bool) {
	s := t.slots[at.base+uint32(code)]
	if s.code != code {
		return root{}, false
	}
	return root{base: s.base, cost: s.cost}, true
}
