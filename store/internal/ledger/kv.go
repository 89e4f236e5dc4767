// Package ledger is the docId store over any ordered key-value engine: the
// rows, the key table in memory, the one writer that makes check-and-set
// atomic, and the checks. An adapter brings a KV and nothing else.
package ledger

// KV is an ordered map of bytes with atomic batches. Snapshots and batches may be
// used by one goroutine at a time, the KV by many.
type KV interface {
	// Snapshot is a consistent state that is durable: nothing in it can be
	// lost any more.
	Snapshot() (Snapshot, error)
	// Batch starts a batch. There is one at a time.
	Batch() Batch
	Close() error
}

// Reader reads rows. Get returns nil for a missing row; what it returns may
// be kept. Scan visits rows with from <= key < to in order until visit
// returns an error; key and value are valid during the visit only.
type Reader interface {
	Get(key []byte) ([]byte, error)
	Scan(from, to []byte, visit func(key, value []byte) error) error
}

// Snapshot is a Reader of one state.
type Snapshot interface {
	Reader
	Close()
}

// Batch collects writes and reads through them.
type Batch interface {
	Reader
	Set(key, value []byte) error
	Delete(key []byte) error
	DeleteRange(from, to []byte) error
	// Commit makes the batch durable and the next Snapshot show it. After an
	// error nothing is known and the KV takes no further batch.
	Commit() error
	Close()
}
