package docid

import "context"

// Sink stores the decisions of an index in another system, such as rows for reports and the kept articles. It applies the
// log in order and stores its own cursor, so it may lag, fail or be killed at any time. A [Relay] feeds it.
type Sink interface {
	// Cursor returns the last change of a tenant that the sink has, or 0.
	Cursor(ctx context.Context, tenant string) (uint64, error)
	// Apply stores deliveries in order, the first right after the cursor, and moves the cursor to the last, in one step if
	// it can. Without an error all of them are durable. After an error their state is unknown, and the deliveries after
	// Cursor are repeated (at least once). A sink sets aside a delivery that it can never store, with the reason, because
	// an error would stop all later ones. Usually, but not always, a tenant has one call at a time.
	Apply(ctx context.Context, tenant string, ds []Delivery) error
	Close() error
}

// Delivery is a change with the data that a sink needs.
type Delivery struct {
	Entry
	DocID  string // docId of Entry.Leader; "" for an epoch, a forget or a rule
	Left   string // for a correction: the previous docId
	Epochs int    // number of epochs begun, including by this change
	// Before is set for an epoch. It is the last change before the epoch, so a sink's changes between the two were lost. If
	// the sink has another change with the number of Before, it belongs to another history.
	Before Entry
	// Names are the names by which a submission leads to the docId. They are set for a Library.
	Names []Name
	// Material is set for a new leader and a Library. It is nil once the docId has ended.
	Material *Material
	// Backfilled is set if the index did not keep the delivery for the sink, because the sink was attached or set back
	// later. Then Article is what the catalogue has, without its text, and Kept is unknown. A Library receives the current
	// kept copy with the leader.
	Backfilled bool
	// Article is the whole article of a submission or an update, or the kept copy at its new heat. For a correction it has
	// its text only if it becomes the kept copy. It is nil if there is no article, or if no sink was attached at the time.
	Article *Article
	// Kept is the effect of the change on the kept copy of Entry.Leader.
	Kept KeptEffect
}

// KeptEffect is the effect of a change on the kept copy of a docId.
type KeptEffect byte

const (
	KeptSame     KeptEffect = iota // the kept copy is unchanged
	KeptReplaced                   // the article of the delivery becomes the kept copy
	KeptRemoved                    // the docId has no kept copy any longer
	KeptReheated                   // the kept copy is unchanged except for its heat, which is that of the article of the delivery
	KeptLeft                       // the kept copy is unchanged; the docId that the article left has none any longer
	KeptMoved                      // KeptReplaced, and the docId that the article left has no kept copy any longer
)

// Replaces reports whether the article of the delivery becomes the kept copy.
func (k KeptEffect) Replaces() bool { return k == KeptReplaced || k == KeptMoved }

// Leaves reports whether the docId that the article left has no kept copy any longer.
func (k KeptEffect) Leaves() bool { return k == KeptLeft || k == KeptMoved }

// Revises reports whether the delivery is an update with a text.
func (d *Delivery) Revises() bool {
	return d.Kind == KindUpdate && d.Article != nil && d.Kept != KeptReheated
}

// Attachment is a sink, with the last change that it has acknowledged.
type Attachment struct {
	Sink string
	Seq  uint64
	// Lost is the number of numbers after Seq that an epoch has skipped. They have no pending changes.
	Lost uint64
}
