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
