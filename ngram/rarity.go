package ngram

import (
	"math/bits"
	"sync/atomic"
)

// rarityTable stores how rare features are. Each of its 2^21 hash slots has a count, rounded down to one of 256 levels.
// Features that share a slot share their count, which costs time but loses no pair. Two indexes can be searched with each
// other's keys only if they use the same table.
//
// A table never changes and is safe for concurrent use. With a nil table every feature is equally rare, and keys are chosen
// by hash.
type rarityTable struct {
	levels []uint8
}

// tableBits makes a table of 2 MiB, which stays in the second-level cache while keys are chosen. A million texts of ten
// features put a few features into each slot, of which the most frequent decides the level.
const tableBits = 21

const tableSize = 1 << tableBits

// level returns the frequency of a feature, from 0 (rarest) to 255. The order is total only in combination with the hash.
func (t *rarityTable) level(hash uint64) uint64 {
	if t == nil {
		return 0
	}
	return uint64(t.levels[hash>>(64-tableBits)])
}

// gramLevel returns the level of a gram of 1..longestGram runes. Without a table, longer grams count as rarer.
func (t *rarityTable) gramLevel(hash uint64, size int) uint64 {
	if t == nil {
		return uint64(longestGram - size)
	}
	return t.level(hash)
}

// rank orders features from rare to frequent.
func (t *rarityTable) rank(hash uint64) uint64 { return rankOf(t.level(hash), hash) }

// rankOf combines the level and 56 bits of the hash. The rank represents the feature from then on, so two features with one
// rank are one key.
func rankOf(level, hash uint64) uint64 { return level<<56 | hash>>8 }

// counts holds the counts from which a table is made.
type counts struct{ slots []atomic.Uint32 }

func newCounts() *counts { return &counts{make([]atomic.Uint32, tableSize)} }

func (c *counts) add(hash uint64) { c.slots[hash>>(64-tableBits)].Add(1) }

func (c *counts) rarityTable() *rarityTable {
	levels := make([]uint8, tableSize)
	for i := range c.slots {
		levels[i] = quantise(c.slots[i].Load())
	}
	return &rarityTable{levels}
}

// quantise keeps the leading one and three bits after it. So 0..15 are exact, and above that a level spans an eighth.
func quantise(n uint32) uint8 {
	if n < 16 {
		return uint8(n)
	}
	exponent := bits.Len32(n) - 4
	return uint8(exponent<<3 + int(n>>exponent))
}
