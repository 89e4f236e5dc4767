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
