package batch

import "github.com/neardup/neardup/internal/external"

// Each kind of number has a type of its own, so that the compiler tells them apart.
type (
	// item is the place of a document in the input, rejected ones counted.
	item uint32
	// rank is the place of a document in the order of Keep.
	rank uint32
	// textNo is the place of a distinct text in the input.
	textNo uint32
	// position is the place of a distinct text in the order of Keep.
	position uint32
)

// keyValue is a sorted row: a key and its value.
type keyValue = external.KeyValue

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i uint32) bool { return b[i/64]>>(i%64)&1 != 0 }
