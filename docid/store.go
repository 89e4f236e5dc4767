package docid

import (
	"context"
	"errors"

	"github.com/neardup/neardup"
)

// Store keeps the indexes of many tenants. A store knows "shares a key" and
// nothing of texts being similar: the [Detector] judges, the store makes the
// judgement atomic and durable. All methods are safe for concurrent use.
type Store interface {
	// Index opens the index of a tenant. A tenant that has none gets one
	// with the identity that create returns; with a nil create that is
	// ErrNotFound. An identity never changes afterwards.
	Index(ctx context.Context, tenant string, create func() (Identity, error)) (Index, error)
	// Tenants lists the tenants that have an index, in byte order.
	Tenants(ctx context.Context) ([]string, error)
	// Close finishes what was accepted and releases the store.
	Close() error
}

// Index is the index of one tenant. What happened to it is one sequence of
// committed changes, numbered 1, 2, 3 ...; a number is never given twice, not
// after a crash either. Leaders are named by the number that made them.
//
// A copy that is opened in the place of the original gives the numbers after
// those it holds a second time. So it begins a new [Epoch] before it answers.
//
// What a reader sees is durable, always: a change that could still be lost is
// seen by nobody.
type Index interface {
	Identity() Identity
	// Lookup returns the living leaders that were posted under one of the
	// names or keys after q.Since, as of the change found.At.
	Lookup(ctx context.Context, q Query) (Found, error)
	// Material returns what verification needs of a leader; ErrNotFound
	// once its docId has ended.
	Material(ctx context.Context, leader uint64) (Material, error)
	// Commit makes one change durable, whole or not at all, and returns
	// its log entry. It is refused with ErrConflict if a name or key of
	// c.Query was posted after c.Query.Since, and with ErrEnded if
	// c.Leader no longer lives; nothing is written then. A repeated
	// submission (same idempotency key, or same nid, and the same request
	// digest) gets the entry of the first; with another digest it is
	// ErrMismatch or ErrTaken.
	//
	// ErrUnavailable and ErrFull say that the outcome is not known until
	// the store is opened again, and a context that ends while Commit
	// waits says the same. Retry with the idempotency key.
	Commit(ctx context.Context, c *Change) (Receipt, error)
	// Catalog reads the rest.
	Catalog() Catalog
}

// Catalog reads an index: what is not needed to decide. Pages are limited by
// the caller; a limit of 0 or less returns nothing.
type Catalog interface {
	// Member finds an article by its nid; ErrNotFound.
	Member(ctx context.Context, nid string) (Member, error)
	// Group returns a docId and up to limit members that joined after the
	// sequence number after. ErrEnded if it lived once, ErrNotFound if not.
	Group(ctx context.Context, leader, after uint64, limit int) (Group, error)
	// Groups lists living docIds by size, largest first, ties by age.
	// O(leaders log limit).
	Groups(ctx context.Context, page GroupPage) ([]GroupSize, error)
	// Log returns up to limit entries after a sequence number, in order.
	// It is complete and gap-free, so whoever stores elsewhere keeps his
	// own cursor into it: the log is the queue.
	Log(ctx context.Context, after uint64, limit int) ([]Entry, error)
	// Due returns up to limit leaders that expire at or before a time
	// (Unix nanoseconds), the first to expire first.
	Due(ctx context.Context, before int64, limit int) ([]uint64, error)
	// Stats is O(1).
	Stats(ctx context.Context) (Stats, error)
}

// Errors of a store, to be asked for with errors.Is.
var (
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("a newer leader shares a key")
	ErrEnded       = errors.New("the docId has ended")
	ErrMismatch    = errors.New("the idempotency key was used with another request")
	ErrTaken       = errors.New("the nid belongs to another article")
	ErrUnavailable = errors.New("the store takes no writes")
	ErrFull        = errors.New("no space left for the store")
	ErrCorrupt     = errors.New("the store is damaged")
	ErrNewerFormat = errors.New("the store was written by a newer version")
	ErrLocked      = errors.New("the store is open in another process")
)

// Identity is what makes an index itself. Secret: whoever knows the seed can
// forge texts that share keys, whoever knows the key can make docIds.
type Identity struct {
	Seed    uint64   // of the feature hashes
	Key     [32]byte // of docIds, names and request digests
	Spec    string   // the cascade with every parameter; see Settings
	Table   []byte   // rarity table of trainable methods; empty: none
	Created int64    // Unix nanoseconds
	// Epochs that were begun, in order; the store's own, a new index has
	// none. They never change while the store is open.
	Epochs []Epoch
}

// Epoch tells histories of an index apart that share their numbers: a copy
// draws one at random when it is first opened. Numbers before the first epoch
// are of epoch 0.
type Epoch struct {
	First  uint64 // the change that began it
	Number uint64 // random, not 0
}

// Name is a keyed 128-bit hash of a normalised url or title. A store matches
// all of it.
type Name [16]byte

// Probe is one group of keys to search under, those of one stage.
type Probe struct {
	Keys []uint64
	// Plausible, where not nil, says which sketches are worth returning,
	// and which newer leaders are a conflict. It is pure and takes
	// nanoseconds. A store that cannot call it may return and refuse more.
	Plausible func(sketch uint64) bool
}

// Query is what to look up, and at Commit what must not have been posted
// since.
type Query struct {
	Since  uint64
	Names  []Name
	Probes []Probe
	// Limit bounds the hits of each probe, NameLimit those of each name;
	// 0 means 65,536. The newest are returned where there are more.
	Limit, NameLimit int
}

// Hit is a leader found.
type Hit struct {
	Leader uint64
	Sketch uint64
	Time   int64 // of its change, Unix nanoseconds
}

// Found is the answer to a Query: the hits of each name and of each probe, no
// leader twice in one, in no particular order.
type Found struct {
	At     uint64 // the last change seen: Since of the next look-up
	Names  [][]Hit
	Probes [][]Hit
	// Crowded says that a Limit was reached and hits may be missing.
	Crowded bool
}

// Material is what verification needs of a leader. It never changes while the
// docId lives, whatever is deleted.
type Material struct {
	NID   string
	Title string // clean
	Text  string // clean
}

// Kind is what a change does.
type Kind string

const (
	KindNew       Kind = "new"       // an article becomes a leader
	KindDuplicate Kind = "duplicate" // an article joins a leader
	KindUpdate    Kind = "update"    // heat or text of an nid
	KindDelete    Kind = "delete"    // the texts of an nid go
	KindEnd       Kind = "end"       // a docId ends by request
	KindExpire    Kind = "expire"    // a docId ends by time
	KindForget    Kind = "forget"    // idempotency keys up to Leader are dropped
	KindEpoch     Kind = "epoch"     // the epoch numbered Leader begins; the store's own
)

// Change is what Commit writes. Fields that a kind does not use stay empty.
type Change struct {
	Entry          // all but Seq; Leader too where the kind is new
	Query   Query  // new, duplicate: what the judgement rests on
	Names   []Name // new, duplicate: lead to the docId from now on
	Article *Article
	Fresh   *Fresh // new only
}

// Fresh is what a new leader adds.
type Fresh struct {
	Keys     []uint64 // found under these
	Sketch   uint64
	Material Material
}

// Entry is one change in the log: enough to answer the same again and to
// replay every decision, and no text.
type Entry struct {
	Seq    uint64
	Kind   Kind
	Leader uint64
	NID    string
	Time   int64 // when it was received, Unix nanoseconds; decides nothing
	// Heat of the article after the change.
	Heat int64
	// Window is the time before which leaders were not considered; 0: none.
	Window int64
	// Expires is when a new docId is due to expire; 0: never.
	Expires     int64
	Idempotency string
	Request     [16]byte // keyed digest of the request
	Evidence    Evidence
}

// Evidence is why an article is a duplicate.
type Evidence struct {
	Stage      Stage
	LeaderNID  string
	Similarity float64
	Distance   int // -1: none
	Method     string
	Basis      string
}

// Receipt is the log entry of a change; Replayed if it had been made before.
type Receipt struct {
	Entry
	Replayed bool
}

// Article is a document with what the service carries along for it.
type Article struct {
	neardup.Document
	Category   string
	Media      string
	ImageCount string
	Heat       int64
}

// Member is an article of a docId, without its text.
type Member struct {
	Article        // Text is empty
	Leader  uint64 // the docId it belongs to
	Seq     uint64 // the change it came with
}

// Group is one docId.
type Group struct {
	GroupSize
	NID     string // of the article that made it
	Time    int64
	Expires int64
	// Kept is the hottest article that came with its text and was not
	// deleted, ties the earliest; nil when there is none.
	Kept    *Article
	KeptSeq uint64
	Members []Member
	More    bool
}

// GroupSize counts the members of a docId.
type GroupSize struct {
	Leader uint64
	Size   int
}

// GroupPage asks for groups of at least MinSize members that come after
// another in the order of Groups; an After with Leader 0 starts at the front.
type GroupPage struct {
	MinSize int
	After   GroupSize
	Limit   int
}

// Stats are the counts of an index.
type Stats struct {
	Seq     uint64 // the last change
	Leaders int
	Members int
	Keys    int // postings in memory
	Memory  int // bytes of the key table, about
}
