package docid

import "context"

// Log is an ordered, durable log that several servers share. Each server appends its proposals, reads all entries, and
// applies them in order to its own store. So the log decides which proposal is first, and all stores are equal. Entries
// have the offsets 1, 2, 3 ... The first 16 bytes of an entry are its unique id. An entry of another writer may be shorter,
// and is padded with zeros. All methods are safe for concurrent use.
type Log interface {
	// Append makes an entry durable as the next one, and returns its offset. It returns ErrLogLost and appends nothing
	// unless the log has the entry at the anchor. With the zero anchor the log must never have had an entry. After other
	// errors the entry may have been stored, or appear later.
	Append(ctx context.Context, anchor Anchor, entry []byte) (uint64, error)
	// Read returns entries after the anchor, in order, without gaps and durable. A call ends at the latest with the entry
	// that exceeds 1 MiB. If there are none, it waits briefly and returns an empty page. It returns ErrLogLost if the log
	// lacks the entry at the anchor or any after it. A page may take as long as it needs over a slow link, but the call
	// fails if the log sends nothing for about a second.
	Read(ctx context.Context, anchor Anchor) ([][]byte, error)
	// Incarnation names the current run of the log. The name changes after anything that may have lost entries, such as a
	// restart, a failover or a restore. The other methods then fail until it is called again. Before appending, a server
	// verifies the last incarnation that the entries name.
	Incarnation(ctx context.Context) (string, error)
	// Durable returns the offset of the last entry that can no longer be lost, or 0.
	Durable(ctx context.Context) (uint64, error)
	// Trim deletes the entries before an offset.
	Trim(ctx context.Context, before uint64) error
}

// Anchor identifies an entry that a reader of a Log has applied. The zero Anchor means none.
type Anchor struct {
	Offset uint64
	ID     [16]byte
}

// Next returns the anchor of the entry after a.
func (a Anchor) Next(entry []byte) Anchor {
	next := Anchor{Offset: a.Offset + 1}
	copy(next.ID[:], entry)
	return next
}
