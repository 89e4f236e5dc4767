package evidence

import (
	"math/bits"
	"slices"
)

// table maps hashes to two numbers, of which one at least is not 0. It keeps its memory.
type table struct {
	entries []entry
	shift   int
}

type entry struct {
	hash uint64
	a, b int32
}

// reset empties the table and makes room for n hashes.
func (t *table) reset(n int) {
	log := bits.Len(uint(2*n + 1))
	t.shift = 64 - log
	t.entries = slices.Grow(t.entries[:0], 1<<log)[:1<<log]
	clear(t.entries)
}

// at returns the entry of a hash and its place. The caller fills one that is empty.
func (t *table) at(hash uint64) (*entry, int32) {
	for i := int(hash * 0x9e3779b97f4a7c15 >> t.shift); ; i = (i + 1) & (len(t.entries) - 1) {
		e := &t.entries[i]
		if e.a == 0 && e.b == 0 {
			e.hash = hash
			return e, int32(i)
		}
		if e.hash == hash {
			return e, int32(i)
		}
	}
}

// find returns the entry of a hash, nil where there is none.
func (t *table) find(hash uint64) *entry {
	if e, _ := t.at(hash); e.a != 0 || e.b != 0 {
		return e
	}
	return nil
}
