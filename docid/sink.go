package docid

import "context"

// Sink stores what an index decided elsewhere: rows for reports, the kept
// articles. It applies the log in order and keeps its own cursor, so that it
// may lag, fail and be killed at any moment. A [Relay] feeds it.
type Sink interface {
	// Cursor returns the last change of a tenant that the sink has; 0: none.
	Cursor(ctx context.Context, tenant string) (uint64, error)
	// Apply stores deliveries in order, the first right after the cursor, and moves the cursor to the last, in
	// one step if it can. Without an error all of them are durable. After an error their state is unknown, and the
	// deliveries after Cursor are repeated (at least once). A sink parks a delivery that it can never store, with the
	// reason, because an error stops all later ones. Usually, but not always, there is one call at a time for a tenant.
	Apply(ctx context.Context, tenant string, ds []Delivery) error
	Close() error
}

// Delivery is one change with the data that a sink needs.
type Delivery struct {
	Entry
	DocID  string // of Entry.Leader; of an epoch, a forget or a rule ""
	Left   string // of a correction: the previous docId
	Epochs int    // number of epochs begun, this change included
	// Before is, for an epoch, the last change before it. A sink's changes between the two were lost. A sink
	// with another change in its place belongs to another history.
	Before Entry
	// Names are the names by which a submission leads to the docId; a Library gets none.
	Names []Name
	// Material belongs to a new leader, for a Library. It is nil once its docId has ended.
	Material *Material
	// Backfilled is set if the index did not keep the delivery for the sink, which was attached or set back
	// later. Then Article is what the catalogue has, without its text, and Kept is unknown. A Library gets the
	// current kept copy with the leader.
	Backfilled bool
	// Article is the whole article of a submission or an update, or the kept copy at its new heat. For a
	// correction it is whole if it is kept, otherwise without its text. It is nil if there is none, or if no
	// sink was attached then.
	Article *Article
	// Kept is the effect of the change on the kept copy of Entry.Leader.
	Kept KeptEffect
}

// KeptEffect is the effect of a change on the kept copy of a docId, as its commit decided.
type KeptEffect byte

const (
	KeptSame     KeptEffect = iota // it stays
	KeptReplaced                   // the article of the delivery is kept from now on
	KeptRemoved                    // there is none any more
	KeptReheated                   // it stays, at the heat of the article of the delivery
	KeptLeft                       // it stays; the docId that the article left has none any more
	KeptMoved                      // KeptReplaced, and the docId that the article left has none any more
)

// Replaces reports that the article of the delivery is kept from now on.
func (k KeptEffect) Replaces() bool { return k == KeptReplaced || k == KeptMoved }

// Leaves reports that the docId which the article left has no kept copy any more.
func (k KeptEffect) Leaves() bool { return k == KeptLeft || k == KeptMoved }

// Revises reports an update that came with a text.
func (d *Delivery) Revises() bool {
	return d.Kind == KindUpdate && d.Article != nil && d.Kept != KeptReheated
}

// Attachment is a sink and the last change it has acknowledged.
type Attachment struct {
	Sink string
	Seq  uint64
	// Lost is how many numbers after Seq an epoch passed over: nothing waits
	// under them.
	Lost uint64
}
