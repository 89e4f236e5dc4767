package docid

import (
	"context"
	"errors"
	"time"
)

// Store holds the indexes of several tenants. It finds leaders that share a key, but does not compare texts. The [Detector]
// judges, and the store makes the outcome atomic and durable. All methods are safe for concurrent use.
type Store interface {
	// Index opens the index of a tenant. If there is none, it creates one with the identity that create returns. If create
	// is nil, it returns ErrNotFound.
	Index(ctx context.Context, tenant string, create func() (Identity, error)) (Index, error)
	// Tenants returns the tenants that have an index, in byte order.
	Tenants(ctx context.Context) ([]string, error)
	// Restore begins to rebuild the lost index of a tenant, in which each change has its original number. It continues a
	// rebuild that was begun with the same identity. Until the rebuild is finished, opening the index fails with
	// ErrUnfinished. It returns ErrOccupied if the index has changes, or is being rebuilt with another identity. Only one
	// writer may rebuild at a time.
	Restore(ctx context.Context, tenant string, id Identity) (Restoration, error)
	// Close finishes the accepted work and closes the store.
	Close() error
}

// Index is the index of one tenant, with the methods for deciding. Its history is a sequence of committed changes, numbered
// 1, 2, 3 ... A number is never reused, even after a crash. A leader is named by the number of the change that made it.
//
// A history that may have lost changes, such as a copy opened in place of the original, could reuse their numbers. So it
// begins a new [Epoch] before it answers, or when a caller has seen later changes (see BeginEpoch).
//
// Readers only see durable changes, so no change that they see can be lost.
type Index interface {
	// Identity returns the identity, which never changes.
	Identity() Identity
	// Lookup returns the living leaders that names and keys lead to, as of change Found.At.
	Lookup(ctx context.Context, q Query) (Found, error)
	// Material returns what verification needs of a leader. It returns ErrNotFound if the docId has ended.
	Material(ctx context.Context, leader uint64) (Material, error)
	// Replay returns the answer of Commit to the same submission, which it finds by the idempotency key, then by the nid.
	// It returns ErrNotFound if there was no such submission, and ErrMismatch or ErrTaken, like Commit, if the request was
	// different. It finds answers as long as the key and the nid are stored. Unlike Commit, it may miss an answer that
	// another server has just given; a call of Stats first prevents that.
	Replay(ctx context.Context, a ReplayKey) (Receipt, error)
	// Commit makes one change durable, whole or not at all, and returns
	// its log entry. It is refused, and nothing is written, with
	//   - ErrConflict if a name or key of c.Query was posted after c.Query.Since,
	//     if an updated nid is not in the docId c.Leader, if a rule after c.Query.Ruled
	//     is about the submitted nid or about the pair of a rule, or if a corrected
	//     nid is not in the docId c.Ruling.Before;
	//   - ErrEnded if c.Leader no longer lives;
	//   - ErrNotFound if an updated, corrected or deleted nid does not exist;
	//   - ErrBacklog if it has an article for the sinks, and c.Backlog
	//     changes or more wait for them already.
	//
	// A repeated submission (same idempotency key, or same nid, and the same request digest) gets the entry of
	// the first. With another digest it is ErrMismatch or ErrTaken.
	//
	// c.Evidence names other leaders by the nids that they had at the decision. If such an nid was deleted since
	// its leader was made, it may name another article. Then Commit replaces it by AnonymousPrefix and the
	// number of the leader.
	//
	// A duplicate joins the current docId of the article that made c.Leader, which differs if a person moved
	// it.
	//
	// A correction moves an nid, with its change and its answers, and makes its names lead to the docId. If its
	// text is the kept copy of the previous docId, it competes for being kept, and that docId has no kept copy
	// then.
	//
	// If a sink is attached, c.Article is kept for it.
	//
	// After ErrUnavailable, ErrFull and the end of the context the outcome is not known until the store is
	// opened again. Retry with the idempotency key.
	Commit(ctx context.Context, c *Change) (Receipt, error)
	// BeginEpoch begins an epoch with a change numbered past+1, because the caller knows of changes up to past that the
	// index lacks. If the index has moved beyond past meanwhile, it does nothing.
	BeginEpoch(ctx context.Context, past uint64) error
	// Catalog returns the methods that decisions do not need.
	Catalog() Catalog
	// Outbox returns the methods that sinks need.
	Outbox() Outbox
}

// Outbox holds the pending deliveries of an index: the log, and each article until every attached sink has it.
type Outbox interface {
	// Attach keeps articles for a sink from now on. It returns the last change that the sink has acknowledged. A sink stays
	// attached across restarts.
	Attach(ctx context.Context, sink string) (uint64, error)
	// Detach stops keeping deliveries for a sink.
	Detach(ctx context.Context, sink string) error
	// Attached returns the attached sinks, by name, with the last change that each has acknowledged.
	Attached(ctx context.Context) ([]Attachment, error)
	// Pending returns up to limit deliveries after a change, in order and without gaps, like Catalog.Log. If articles are
	// long, it returns fewer. It returns ErrBehind if the index does not have the change yet.
	Pending(ctx context.Context, after uint64, limit int) ([]Delivery, error)
	// Acknowledge records that a sink has all changes up to a number. Deliveries that all sinks have are dropped. It
	// returns ErrNotFound if the sink is not attached.
	Acknowledge(ctx context.Context, sink string, upTo uint64) error
	// Claim requests a lease to feed a sink, in the name of who. A duration of 0 releases the lease. The lease only saves
	// work: if two servers get it, both feed the sink correctly. A name that is not a sink stands for other work that one
	// server does for all.
	Claim(ctx context.Context, sink, who string, long time.Duration) (bool, error)
}

// Catalog reads the data of an index that decisions do not need. The caller limits the size of pages. A limit of 0 or less
// returns nothing.
type Catalog interface {
	// Member returns an article by its nid, or ErrNotFound.
	Member(ctx context.Context, nid string) (Member, error)
	// Group returns a docId, and up to limit members that joined after a sequence number. It returns ErrEnded if the docId
	// has ended, and ErrNotFound if it never existed.
	Group(ctx context.Context, leader, after uint64, limit int) (Group, error)
	// Groups returns living docIds by size, the largest first, and the oldest first among equals. O(leaders): about 4 ms
	// per million.
	Groups(ctx context.Context, page GroupPage) ([]GroupSize, error)
	// Log returns up to limit entries after a sequence number, in order and without gaps. The entry after n is
	// n+1, unless it begins an epoch, which skips the lost numbers.
	Log(ctx context.Context, after uint64, limit int) ([]Entry, error)
	// Due returns up to limit leaders that expire at or before a time (Unix nanoseconds), in the order of expiry.
	Due(ctx context.Context, before int64, limit int) ([]uint64, error)
	// Rulings returns up to limit rulings after a change, in order.
	Rulings(ctx context.Context, after uint64, limit int) ([]Entry, error)
	// Epochs returns all epochs so far, in order. Others may begin while the store is open; see Receipt.
	Epochs(ctx context.Context) ([]Epoch, error)
	// Stats returns the counts of the index. O(1).
	Stats(ctx context.Context) (Stats, error)
	// Engine returns metrics that are specific to the kind of store, by name.
	Engine(ctx context.Context) (map[string]int64, error)
}

// Errors of a store. Check them with errors.Is.
var (
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("a newer change contradicts the decision")
	ErrEnded       = errors.New("the docId has ended")
	ErrMismatch    = errors.New("the idempotency key was used with another request")
	ErrTaken       = errors.New("the nid belongs to another article")
	ErrBehind      = errors.New("the store has lost changes that were read before")
	ErrBacklog     = errors.New("too many changes are pending for the sinks")
	ErrUnavailable = errors.New("the store accepts no writes")
	ErrFull        = errors.New("no space left for the store")
	ErrCorrupt     = errors.New("the store is damaged")
	ErrNewerFormat = errors.New("the store was written by a newer version")
	ErrOlderFormat = errors.New("the store was written by an older version")
	ErrLocked      = errors.New("the store is open in another process")
)
