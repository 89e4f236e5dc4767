package docid

import "context"

// Sink stores what an index decided elsewhere: rows for reports, the kept
// articles. It applies the log in order and keeps its own cursor, so that it
// may lag, fail and be killed at any moment. A [Relay] feeds it.
type Sink interface {
	// Cursor returns the last change of a tenant that the sink has; 0: none.
	Cursor(ctx context.Context, tenant string) (uint64, error)
	// Apply takes deliveries in their order, the first of them right after
	// the cursor, and moves the cursor to the last, in one step where it
	// can. Without an error all of them are durable. After an error
	// nothing is known, and what follows Cursor comes again: at least
	// once. What it can never store it parks with the reason, for an error
	// stops all that comes after. One call at a time for a tenant.
	Apply(ctx context.Context, tenant string, ds []Delivery) error
	Close() error
}

// Delivery is one change as a sink gets it.
type Delivery struct {
	Entry
	DocID string // of Entry.Leader; of an epoch or a forget ""
	// Article is the whole article that came with a submission or an
	// update, or that is kept at another heat now; nil if there is none, or
	// no sink was attached then.
	Article *Article
	// Keeps is what the change did to the kept copy of Entry.Leader.
	Keeps Keeps
}

// Keeps is what a change does to the kept copy of a docId, as its commit
// decided.
type Keeps byte

const (
	KeepsSame Keeps = iota // it stays
	KeepsThis              // the article of the delivery is kept from now on
	KeepsNone              // there is none any more
)

// Outbox is what waits for the sinks of an index: the log, and with it the
// articles, each kept until every attached sink has it.
type Outbox interface {
	// Attach has the articles kept for a sink from now on, and returns the
	// last change that it has acknowledged. A sink that is attached stays
	// so, whatever is restarted.
	Attach(ctx context.Context, sink string) (uint64, error)
	// Detach waits for a sink no longer.
	Detach(ctx context.Context, sink string) error
	// Attached lists the sinks with what each has acknowledged, by name.
	Attached(ctx context.Context) ([]Attachment, error)
	// Pending returns deliveries after a change, in order and without gaps,
	// at most limit and fewer where articles are long. ErrTrimmed, as of
	// Catalog.Log; ErrBehind if the index has no such change yet.
	Pending(ctx context.Context, after uint64, limit int) ([]Delivery, error)
	// Acknowledge says that a sink has every change up to one. What all
	// have is dropped. ErrNotFound if it is not attached.
	Acknowledge(ctx context.Context, sink string, upTo uint64) error
}

// Attachment is a sink and the last change it has acknowledged.
type Attachment struct {
	Sink string
	Seq  uint64
}
