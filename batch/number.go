package batch

import "github.com/neardup/neardup/internal/external"

// Each kind of number has its own type, so that the compiler rejects a mix-up.
type (
	// item is the index of a document in the input. Rejected documents count.
	item uint32
	// rank is the index of a document in the order of Keep.
	rank uint32
	// textNo is the index of a distinct text in the input.
	textNo uint32
	// position is the index of a distinct text in the order of Keep.
	position uint32
)

// keyValue is a sorted row: a key and its value.
type keyValue = external.KeyValue

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i uint32) bool { return b[i/64]>>(i%64)&1 != 0 }
