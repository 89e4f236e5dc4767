package docid

import (
	"context"
	"errors"
	"time"
)

// Store keeps the indexes of many tenants. A store finds leaders that share a key, and does not compare texts. The
// [Detector] judges, and the store makes the judgement atomic and durable. All methods are safe for concurrent use.
type Store interface {
	// Index opens the index of a tenant. A tenant that has none gets one
	// with the identity that create returns; with a nil create that is
	// ErrNotFound.
	Index(ctx context.Context, tenant string, create func() (Identity, error)) (Index, error)
	// Tenants lists the tenants that have an index, in byte order.
	Tenants(ctx context.Context) ([]string, error)
	// Restore begins to rebuild the lost index of a tenant, each change with its original number. It continues
	// one that was begun under the same identity. Until it is finished, opening the index fails with
	// ErrUnfinished. It returns ErrOccupied if the index has changes, or is rebuilt under another identity. One
	// writer at a time.
	Restore(ctx context.Context, tenant string, id Identity) (Restoration, error)
	// Close finishes what was accepted and releases the store.
	Close() error
}

// Index is what deciding needs of the index of one tenant. Its history is one sequence of committed changes,
// numbered 1, 2, 3 ... A number is never reused, even after a crash. Leaders are named by the number that made
// them.
//
// A history that may have lost changes, such as a copy opened in place of the original, could reuse their
// numbers. So it begins a new [Epoch] before it answers, or when a caller has seen later changes: see
// BeginEpoch.
//
// Readers see durable changes only: a change that could still be lost is never shown.
type Index interface {
	// Identity never changes.
	Identity() Identity
	// Lookup returns the living leaders that names and keys lead to, as of
	// the change found.At.
	Lookup(ctx context.Context, q Query) (Found, error)
	// Material returns what verification needs of a leader; ErrNotFound
	// once its docId has ended.
	Material(ctx context.Context, leader uint64) (Material, error)
	// Replay finds what Commit answered to the same submission: by its
	// idempotency key, then by its nid. ErrNotFound if there was none;
	// ErrMismatch or ErrTaken, as of Commit, if it was another request. It answers
	// as long as the key and the nid are kept. Unlike Commit, it may miss an answer that another server gave a
	// moment ago. After a call of Stats it finds that answer.
	Replay(ctx context.Context, a ReplayKey) (Receipt, error)
	// Commit makes one change durable, whole or not at all, and returns
	// its log entry. It is refused, and nothing is written, with
	//   - ErrConflict if a name or key of c.Query was posted after c.Query.Since,
	//     if an updated nid is not in the docId c.Leader, if a rule after c.Query.Ruled
	//     is about the submitted nid or about the pair of a rule, or if a corrected
	//     nid is not in the docId c.Ruling.Before;
	//   - ErrEnded if c.Leader no longer lives;
	//   - ErrNotFound if an updated, corrected or deleted nid is not there;
	//   - ErrBacklog if it has an article for the sinks, and c.Backlog
	//     changes or more wait for them already.
	//
	// A repeated submission (same idempotency key, or same nid, and the same request digest) gets the entry of
	// the first. With another digest it is ErrMismatch or ErrTaken.
	//
	// The nids of other leaders in c.Evidence are as they were read to judge. If such an nid was deleted since
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
	// BeginEpoch begins an epoch with a change numbered past+1, if the caller knows of changes up to past that
	// the index lacks. It does nothing if the index has moved past that meanwhile.
	BeginEpoch(ctx context.Context, past uint64) error
	// Catalog reads the rest.
	Catalog() Catalog
	// Outbox has the methods that sinks need.
	Outbox() Outbox
}

// Outbox holds the pending deliveries of an index: its log, and the articles, each until every attached sink has it.
type Outbox interface {
	// Attach keeps articles for a sink from now on, and returns the last change that the sink has acknowledged. A sink
	// stays attached across restarts.
	Attach(ctx context.Context, sink string) (uint64, error)
	// Detach stops keeping deliveries for a sink.
	Detach(ctx context.Context, sink string) error
	// Attached lists the sinks with what each has acknowledged, by name.
	Attached(ctx context.Context) ([]Attachment, error)
	// Pending returns deliveries after a change, in order and without gaps
	// as Catalog.Log does, at most limit and fewer where articles are long.
	// ErrBehind if the index has no such change yet.
	Pending(ctx context.Context, after uint64, limit int) ([]Delivery, error)
	// Acknowledge records that a sink has every change up to one. Deliveries that all sinks have are dropped.
	// ErrNotFound if the sink is not attached.
	Acknowledge(ctx context.Context, sink string, upTo uint64) error
	// Claim requests a lease to feed a sink, in the name of who. A duration of 0 releases it. The lease only saves work:
	// two servers may get it and both feed the sink. A name that is not a sink stands for other work that one server
	// does for all.
	Claim(ctx context.Context, sink, who string, long time.Duration) (bool, error)
}

// Catalog reads the data of an index that decisions do not need. The caller limits pages; a limit of 0 or less returns
// nothing.
type Catalog interface {
	// Member finds an article by its nid; ErrNotFound.
	Member(ctx context.Context, nid string) (Member, error)
	// Group returns a docId and up to limit members that joined after the sequence number after. ErrEnded if it
	// has expired, ErrNotFound if it never existed.
	Group(ctx context.Context, leader, after uint64, limit int) (Group, error)
	// Groups lists living docIds by size, largest first, ties by age.
	// O(leaders): some 4 ms a million.
	Groups(ctx context.Context, page GroupPage) ([]GroupSize, error)
	// Log returns up to limit entries after a sequence number, in order and without gaps. The entry after n is
	// n+1, unless it begins an epoch, which skips the lost numbers.
	Log(ctx context.Context, after uint64, limit int) ([]Entry, error)
	// Due returns up to limit leaders that expire at or before a time
	// (Unix nanoseconds), the first to expire first.
	Due(ctx context.Context, before int64, limit int) ([]uint64, error)
	// Rulings returns up to limit rules after a change, in order.
	Rulings(ctx context.Context, after uint64, limit int) ([]Entry, error)
	// Epochs returns all epochs so far, in order. Further ones may begin while the store is open; see Receipt.
	Epochs(ctx context.Context) ([]Epoch, error)
	// Stats is O(1).
	Stats(ctx context.Context) (Stats, error)
	// Engine returns metrics that only this kind of store has, by name.
	Engine(ctx context.Context) (map[string]int64, error)
}

// Errors of a store. Check them with errors.Is.
var (
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("a newer change contradicts the judgement")
	ErrEnded       = errors.New("the docId has ended")
	ErrMismatch    = errors.New("the idempotency key was used with another request")
	ErrTaken       = errors.New("the nid belongs to another article")
	ErrBehind      = errors.New("the store is behind what was seen of it")
	ErrBacklog     = errors.New("too many changes wait for the sinks")
	ErrUnavailable = errors.New("the store takes no writes")
	ErrFull        = errors.New("no space left for the store")
	ErrCorrupt     = errors.New("the store is damaged")
	ErrNewerFormat = errors.New("the store was written by a newer version")
	ErrOlderFormat = errors.New("the store was written by an older version")
	ErrLocked      = errors.New("the store is open in another process")
)
