package docid

import "context"

// Log is an ordered, durable log that several servers share. Each appends what it
// proposes, reads what all have appended, and applies it in order to a store of its own: so the log is
// what decides who was first, and the stores are alike. Entries lie at the offsets 1, 2, 3 ...; the first 16
// bytes of each, its id, tell it from every other. An entry that others put there may be shorter: zeros follow it then.
// All methods are safe for concurrent use.
type Log interface {
	// Append makes an entry durable as the next one, and returns its offset. It is
	// refused with ErrLogLost, and nothing is appended, unless the log has the entry at the
	// anchor; with the zero one unless the log never had any. After other errors nobody knows whether it is
	// there, or comes there yet.
	Append(ctx context.Context, anchor Anchor, entry []byte) (uint64, error)
	// Read returns entries after the anchor, in order and without gaps, as many as are at hand up to a
	// limit of its own: it ends with the entry that exceeds 1 MiB, or before. Where there are none yet it waits a while, and then returns none. What it
	// returns is durable. ErrLogLost if the log does not have the entry at the anchor, or not all after it.
	Read(ctx context.Context, anchor Anchor) ([][]byte, error)
	// Incarnation names the log as it runs now: it has another name after anything that may have lost entries, such as a
	// restart, a failover or a restore. The other methods fail, until it is called again, where the log is no longer what it
	// named. Whoever appends first makes sure of the last incarnation that the entries name.
	Incarnation(ctx context.Context) (string, error)
	// Durable is the offset of the last entry that cannot be lost any more; 0: there is none.
	Durable(ctx context.Context) (uint64, error)
	// Trim forgets the entries before an offset.
	Trim(ctx context.Context, before uint64) error
}

// Anchor is an entry that a reader of a Log has applied, the zero one none.
type Anchor struct {
	Offset uint64
	ID     [16]byte
}

// Next is the anchor of the entry after it.
func (a Anchor) Next(entry []byte) Anchor {
	next := Anchor{Offset: a.Offset + 1}
	copy(next.ID[:], entry)
	return next
}
