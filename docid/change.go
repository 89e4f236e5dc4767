package docid

import (
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// Identity makes an index unique, and is secret. With the seed an attacker can forge texts that share keys,
// with the key docIds.
type Identity struct {
	Seed    uint64   // of the feature hashes
	Key     [32]byte // of docIds, names and request digests
	Spec    string   // the cascade with every parameter; see Settings
	Table   []byte   // rarity table of trainable methods; empty: none
	Created int64    // Unix nanoseconds
	// Epochs began before the index was opened; a new index has none. The Catalog returns later ones.
	Epochs []Epoch
}

// Epoch distinguishes histories of an index that share numbers. Its number is drawn at random. Changes before
// the first epoch are in epoch 0.
type Epoch struct {
	First  uint64 // the change that began it
	Number uint64 // random, not 0
}

// EpochOf returns the number of the epoch of a change. O(epochs).
func EpochOf(epochs []Epoch, seq uint64) uint64 {
	for i := len(epochs) - 1; i >= 0; i-- {
		if epochs[i].First <= seq {
			return epochs[i].Number
		}
	}
	return 0
}

// AnonymousPrefix starts the nid of an article that came without one: its
// sequence number follows. A caller's nid may not start with it.
const AnonymousPrefix = "~"

// AnonymousNID names the article of a change that has no nid of its own.
func AnonymousNID(seq uint64) string { return AnonymousPrefix + strconv.FormatUint(seq, 10) }

// Name is a keyed 128-bit hash of a normalised url or title. A store matches
// all of it.
type Name [16]byte

// KeySet is the set of probes of one method of one stage.
type KeySet struct {
	Keys []uint64 // the probes
	// If Plausible is not nil, it reports which sketches are worth returning. It is pure and takes nanoseconds.
	// Commit does not call it: a newer leader is a conflict whatever its sketch, so that the outcome follows
	// from data alone.
	Plausible func(sketch uint64) bool
}

// Query lists what to look up. At Commit it lists what must not have been posted since.
//
// A look-up by keys is bounded as a whole. A posting is one key under which one change put a leader. The store
// reads the postings of all sets from the newest changes with Since < change < Before. It reads whole changes,
// at least one, up to Limit postings. If some are left, Found.Rest is where to continue. Plausible filters what
// was read, so it does not affect the limit.
type Query struct {
	Since, Before uint64 // Before 0: up to now
	// Ruled is the last rule that the caller knows of.
	Ruled   uint64
	Names   []Name
	KeySets []KeySet
	// Rated are names of extras. Lookup reports which are common, by a share of 1,000,000 of the docIds
	// (MostUncommon). Commit returns ErrConflict if one no longer is as it states.
	Rated []Rated
	Share uint64
	// Limit bounds the postings of all key sets, NameLimit the hits of each
	// name, of which the newest are returned whatever Since and Before;
	// 0 or less means 16,384.
	Limit, NameLimit int
}

// defaultLimit is the number of postings that a look-up reads by default.
const defaultLimit = 1 << 14

// Bounds returns Limit and NameLimit, or their defaults. Stores use it.
func (q *Query) Bounds() (postings, hits int) {
	postings, hits = q.Limit, q.NameLimit
	if postings <= 0 {
		postings = defaultLimit
	}
	if hits <= 0 {
		hits = defaultLimit
	}
	return postings, hits
}

// Hit is a leader found.
type Hit struct {
	Leader uint64
	Sketch uint64
	Time   int64 // of its change, Unix nanoseconds
	// Shared is how many keys of the set lead to it; 1 for a name.
	Shared int
}

// Found is the answer to a Query: the hits of each name and of each key set, no
// leader twice in one, in no particular order.
type Found struct {
	At      uint64 // as of which change: Since of the next look-up
	Ruled   uint64 // the last rule
	Names   [][]Hit
	KeySets [][]Hit
	Common  []bool // by name of Query.Rated
	// Rest is 0 if all was read, otherwise the oldest change that was read. Pass it as Before to continue.
	Rest uint64
}

// ReplayKey names a submission that may have been answered before.
type ReplayKey struct {
	Idempotency, NID string   // either may be empty
	Request          [16]byte // keyed digest
}

// Material is the part of a leader that verification needs. It never changes while the docId lives, whatever is
// deleted.
type Material struct {
	NID    string
	Title  string // clean
	Text   string // clean
	Extras        // of the article
}

// Kind is the kind of a change.
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
	KindCorrect   Kind = "correct"   // a person moves an nid to the docId Leader
	KindRule      Kind = "rule"      // a person rules about two nids
)

// Change is what Commit writes. Fields that a kind does not use stay empty.
type Change struct {
	// Entry has all but Seq; Leader too where the kind is new, or a correction
	// makes a docId. The Heat of an update or a correction is not read. The Leader of an update with a text is the
	// docId that Evidence.Disagrees was made by.
	Entry
	Query     Query  // new, duplicate: what the judgement rests on
	Names     []Name // new, duplicate, correct: lead to the docId from now on
	Article   *Article
	NewLeader *NewLeader // new, and a correction that makes a docId
	SetHeat   *int64     // update only; nil: the heat stays
	Backlog   uint64     // new, duplicate, update, correct: how much may wait for the sinks; 0: no bound
}

// NewLeader is the part of a change that a new leader adds.
type NewLeader struct {
	Keys     []uint64 // found under these
	Sketch   uint64
	Material Material
}

// Entry is one change in the log. It is enough to repeat the answer and to replay every decision, and has no text.
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
	// Ruling is of a correction and of a rule.
	Ruling *Ruling `json:",omitempty"`
}

// Leads reports whether the change made a docId.
func (e *Entry) Leads() bool {
	return e.Kind == KindNew || (e.Kind == KindCorrect && e.Leader == e.Seq)
}

// Ruling is a person's decision, with the reason.
type Ruling struct {
	Who, Why string
	// Before is the previous docId of a corrected article.
	Before uint64
	// Other is the nid of the other article of the pair that was looked at.
	Other string
	// Link is the new link of the pair; "" withdraws it. Was is the previous link.
	Link, Was override.Link
}

// Evidence records why an article is a duplicate, or which leader a new article resembles.
type Evidence struct {
	Stage      Stage
	LeaderNID  string
	Similarity float64
	Distance   int // -1: none
	Method     string
	Basis      string
	// Disagrees is set if the content contradicts the content of the leader that the url names. The article
	// never is the kept copy.
	Disagrees bool
	// Variant is the best leader that a new article is a variant of, 0: none;
	// VariantNID its nid, Relation the relation to it, with Similarity, and Conflicts
	// the evidence against the same.
	Variant    uint64
	VariantNID string
	Relation   neardup.Relation `json:",omitempty"`
	Conflicts  []neardup.Conflict
	Advice
}

// Receipt is the log entry of a change. Replayed is set if the change was made earlier. Epoch is the epoch of
// Entry.Leader, so that code that prints its docId notices an epoch that began while the index was open.
//
// Moved, in a replay, is the last correction of the article since. The article is in the docId Moved.Leader.
type Receipt struct {
	Entry
	Replayed bool
	Epoch    uint64
	Moved    *Correction
}

// Home returns the current docId of the article.
func (r *Receipt) Home() uint64 {
	if r.Moved != nil {
		return r.Moved.Leader
	}
	return r.Leader
}

// Correction is the last correction of an article.
type Correction struct {
	Seq      uint64 // the change
	Time     int64  // Unix nanoseconds
	Leader   uint64 // the docId that it has since then
	Before   uint64 // the previous docId
	Own      uint64 // the docId that a correction made for the article; 0: none did
	Who, Why string
}

// Article is a document with the other fields that the service stores.
type Article struct {
	neardup.Document
	Category   string
	Media      string
	ImageCount string
	Heat       int64
	Extras
}

// Member is an article of a docId, without its text.
type Member struct {
	Article        // Text is empty
	Leader  uint64 // the docId it belongs to
	Seq     uint64 // the change it came with
	// Disagrees is set if the content contradicts the leader's. Then the article is never the kept copy.
	Disagrees bool
	// Correction is the last one, or nil if the article was never moved.
	Correction *Correction
}

// Own returns the change that made the docId that the article leads, if it leads one. Later articles that are like this
// leader join the article's current docId.
func (m *Member) Own() uint64 {
	if m.Correction != nil && m.Correction.Own != 0 {
		return m.Correction.Own
	}
	return m.Seq
}

// Group is one docId.
type Group struct {
	GroupSize
	NID     string // of the article that made it
	Time    int64
	Expires int64
	// Kept is the hottest article that came with its text, does not disagree and was not deleted; of ties, the
	// earliest. It is nil if there is none. No other texts are stored.
	Kept    *Article
	KeptSeq uint64
	// Hotter is the hottest member that is hotter than Kept by a later
	// change of heat, and whose text is not stored; nil when there is none.
	// HotterUnknown: there are too many members to look at all.
	Hotter        *Member
	HotterUnknown bool
	Members       []Member
	More          bool
}

// Contest sets Hotter and HotterUnknown of a group whose kept copy is contested, by its first members. more reports
// that it has further ones.
func (g *Group) Contest(members []Member, more bool) {
	g.HotterUnknown = more
	most := g.Kept.Heat
	for i, m := range members {
		if m.Heat > most && !m.Disagrees {
			most, g.Hotter = m.Heat, &members[i]
		}
	}
}

// GroupSize counts the members of a docId.
type GroupSize struct {
	Leader uint64
	Size   int
}

// GroupPage selects groups of at least MinSize members that come after another in the order of Groups. An After
// with Leader 0 starts at the front.
type GroupPage struct {
	MinSize int
	After   GroupSize
	Limit   int
}

// Stats are the counts of an index.
type Stats struct {
	Seq     uint64 // the last change
	Epoch   uint64 // its epoch
	Leaders int
	Members int
}
