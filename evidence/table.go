package evidence

import (
	"math/bits"
	"slices"
)

// hashTable maps a hash to two numbers that are not both 0. It reuses its memory.
type hashTable struct {
	entries []entry
	shift   int
}

type entry struct {
	hash uint64
	a, b int32
}

// reset empties the table and makes room for n hashes.
func (t *hashTable) reset(n int) {
	logSize := bits.Len(uint(2*n + 1))
	t.shift = 64 - logSize
	t.entries = slices.Grow(t.entries[:0], 1<<logSize)[:1<<logSize]
	clear(t.entries)
}

// at returns the entry of a hash and its index. The caller fills an empty entry.
func (t *hashTable) at(hash uint64) (*entry, int32) {
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

// find returns the entry of a hash, or nil.
func (t *hashTable) find(hash uint64) *entry {
	if e, _ := t.at(hash); e.a != 0 || e.b != 0 {
		return e
	}
	return nil
}
