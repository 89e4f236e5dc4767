package docid

import (
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// Identity identifies an index, and is secret. An attacker who knows the seed can forge texts that share keys. One who
// knows the key can forge docIds.
type Identity struct {
	Seed    uint64   // seed of the feature hashes
	Key     [32]byte // key of docIds, names and request digests
	Spec    string   // the cascade with all parameters; see Settings
	Table   []byte   // rarity table of trainable methods; empty if there is none
	Created int64    // Unix nanoseconds
	// Epochs lists the epochs that had begun when the index was opened. A new index has none. The Catalog returns later
	// ones.
	Epochs []Epoch
}

// Epoch distinguishes histories of an index that give the same numbers. The Number is drawn at random. Changes before the
// first epoch belong to epoch 0.
type Epoch struct {
	First  uint64 // the first change of the epoch
	Number uint64 // random, but not 0
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

// AnonymousPrefix begins the nid of an article that came without one. The sequence number follows it. A caller's nid must
// not begin with it.
const AnonymousPrefix = "~"

// AnonymousNID returns the nid for the article of a change that has no nid.
func AnonymousNID(seq uint64) string { return AnonymousPrefix + strconv.FormatUint(seq, 10) }

// Name is a keyed 128-bit hash of a normalised url or title. A store matches
// all of it.
type Name [16]byte

// KeySet is the set of probes of one method of one stage.
type KeySet struct {
	Keys []uint64 // the probe keys
	// Plausible reports, if not nil, whether a leader with a sketch is worth returning. It is pure and takes nanoseconds.
	// Commit does not call it: any newer leader is a conflict, so the outcome follows from the data alone.
	Plausible func(sketch uint64) bool
}

// Query lists what to look up. At Commit it lists what must not have been posted since.
//
// A look-up by keys is bounded as a whole. A posting is one key under which one change put a leader. The store reads the
// postings of all sets from the newest changes with Since < change < Before. It reads whole changes, at least one, up to
// Limit postings. If some remain, Found.Rest is the point to continue from. Postings that Plausible rejects count towards
// the limit.
type Query struct {
	Since, Before uint64 // Before 0 means all changes up to now
	// Ruled is the last ruling that the caller knows.
	Ruled   uint64
	Names   []Name
	KeySets []KeySet
	// Rated lists names of extras. Lookup reports which of them more than a share (in millionths) of the docIds have
	// (MostUncommon). Commit returns ErrConflict if one of them is no longer as Rated states.
	Rated []Rated
	Share uint64
	// Limit limits the postings of all key sets; 0 or less means 16,384. NameLimit limits the hits of each name in the same
	// way. Of these the newest are returned, whatever Since and Before are.
	Limit, NameLimit int
}

// defaultLimit is the number of postings that a look-up reads by default.
const defaultLimit = 1 << 14

// Bounds returns Limit and NameLimit, or their defaults. It is for stores.
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

// Hit is a leader that a look-up found.
type Hit struct {
	Leader uint64
	Sketch uint64
	Time   int64 // time of its change, in Unix nanoseconds
	// Shared is the number of keys of the set that lead to the leader. For a name it is 1.
	Shared int
}

// Found is the answer to a Query. It holds the hits of each name and of each key set, in no particular order and without
// repetitions.
type Found struct {
	At      uint64 // the last change that was seen, which is Since of the next look-up
	Ruled   uint64 // the last ruling
	Names   [][]Hit
	KeySets [][]Hit
	Common  []bool // for each name of Query.Rated: whether it is common
	// Rest is 0 if everything was read. Otherwise it is the oldest change that was read, to pass as Before.
	Rest uint64
}

// ReplayKey identifies a submission that may have been answered before.
type ReplayKey struct {
	Idempotency, NID string   // either may be empty
	Request          [16]byte // keyed digest of the request
}

// Material is the part of a leader that verification needs. It never changes while the docId lives, even if articles are
// deleted.
type Material struct {
	NID    string
	Title  string // the clean title
	Text   string // the clean text
	Extras        // extras of the article
}

// Kind is the kind of a change.
type Kind string

const (
	KindNew       Kind = "new"       // an article becomes a leader
	KindDuplicate Kind = "duplicate" // an article joins a leader
	KindUpdate    Kind = "update"    // the heat or the text of an nid changes
	KindDelete    Kind = "delete"    // the texts of an nid are deleted
	KindEnd       Kind = "end"       // a docId ends on request
	KindExpire    Kind = "expire"    // a docId ends because it expired
	KindForget    Kind = "forget"    // idempotency keys up to Leader are dropped
	KindEpoch     Kind = "epoch"     // the epoch numbered Leader begins; only the store makes this change
	KindCorrect   Kind = "correct"   // a person moves an nid to the docId Leader
	KindRule      Kind = "rule"      // a person rules on a pair of nids
)

// Change is the input of Commit. Fields that a kind does not use stay empty.
type Change struct {
	// Entry is complete except for Seq, and except for Leader where the change makes a docId. The Heat of an update or a
	// correction is ignored. The Leader of an update with a text is the docId for which Evidence.Disagrees was computed.
	Entry
	Query     Query  // new, duplicate: the look-up that the decision depends on
	Names     []Name // new, duplicate, correct: names that lead to the docId from now on
	Article   *Article
	NewLeader *NewLeader // new, or a correction that makes a docId
	SetHeat   *int64     // update: the new heat; nil leaves it unchanged
	Backlog   uint64     // new, duplicate, update, correct: limit of the changes that wait for the sinks; 0 means none
}

// NewLeader is the part of a change that a new leader adds.
type NewLeader struct {
	Keys     []uint64 // keys under which the leader is found
	Sketch   uint64
	Material Material
}

// Entry is a change in the log. Answers can be repeated and decisions replayed from it. It contains no text.
type Entry struct {
	Seq    uint64
	Kind   Kind
	Leader uint64
	NID    string
	Time   int64 // time of receipt in Unix nanoseconds; no decision depends on it
	// Heat is the heat of the article after the change.
	Heat int64
	// Window is the time before which leaders were ignored; 0 means none.
	Window int64
	// Expires is the time at which a new docId is due to expire; 0 means never.
	Expires     int64
	Idempotency string
	Request     [16]byte // keyed digest of the request
	Evidence    Evidence
	// Ruling is set for a correction and for a rule.
	Ruling *Ruling `json:",omitempty"`
}

// Leads reports whether the change made a docId.
func (e *Entry) Leads() bool {
	return e.Kind == KindNew || (e.Kind == KindCorrect && e.Leader == e.Seq)
}

// Ruling is a decision of a person, with the reason.
type Ruling struct {
	Who, Why string
	// Before is the previous docId of a corrected article.
	Before uint64
	// Other is the nid of the other article of the pair that the person read.
	Other string
	// Link is the new link of the pair; "" withdraws the link. Was is the previous link.
	Link, Was override.Link
}

// Evidence records why an article is a duplicate, or which leader a new article resembles.
type Evidence struct {
	Stage      Stage
	LeaderNID  string
	Similarity float64
	Distance   int // -1 if there is none
	Method     string
	Basis      string
	// Disagrees is set if the content contradicts the content of the leader that the url identifies. Such an article is
	// never the kept copy.
	Disagrees bool
	// Variant is the best leader that a new article is a variant of, or 0. VariantNID is its nid, and Relation and
	// Similarity describe the pair. Conflicts is the evidence against the two being the same.
	Variant    uint64
	VariantNID string
	Relation   neardup.Relation `json:",omitempty"`
	Conflicts  []neardup.Conflict
	Advice
}

// Receipt is the log entry of a change. Replayed is set if the change was made earlier. Epoch is the epoch of
// Entry.Leader, so that code that prints its docId learns of an epoch that began after the index was opened.
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
	Seq      uint64 // the change that made it
	Time     int64  // Unix nanoseconds
	Leader   uint64 // the docId of the article since then
	Before   uint64 // the docId of the article before
	Own      uint64 // the docId that a correction made for the article, or 0
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
	Article        // without its text
	Leader  uint64 // the docId that it belongs to
	Seq     uint64 // the change that added it
	// Disagrees is set if the content contradicts the leader's. Such an article is never the kept copy.
	Disagrees bool
	// Correction is the last correction, or nil if the article was never moved.
	Correction *Correction
}

// Own returns the change that made the docId which this article leads, or 0. Later articles that are like this leader join
// the article's current docId.
func (m *Member) Own() uint64 {
	if m.Correction != nil && m.Correction.Own != 0 {
		return m.Correction.Own
	}
	return m.Seq
}

// Group is one docId.
type Group struct {
	GroupSize
	NID     string // nid of the article that made it
	Time    int64
	Expires int64
	// Kept is the hottest article that came with its text, without Disagrees, and was not deleted. Of equally hot articles
	// it is the earliest. It is nil if there is none. The group stores no other texts.
	Kept    *Article
	KeptSeq uint64
	// Hotter is the member that became hotter than Kept by a later change of heat, but whose text is not stored. Of several
	// it is the hottest. It is nil if there is none. HotterUnknown is set if there are too many members to look at.
	Hotter        *Member
	HotterUnknown bool
	Members       []Member
	More          bool
}

// Contest sets Hotter and HotterUnknown of a group whose kept copy is contested. members are the first members, and more is
// set if there are others.
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

// GroupPage selects groups of at least MinSize members that follow After in the order of Groups. An After with Leader 0
// starts at the beginning.
type GroupPage struct {
	MinSize int
	After   GroupSize
	Limit   int
}

// Stats holds the counts of an index.
type Stats struct {
	Seq     uint64 // the last change
	Epoch   uint64 // the current epoch
	Leaders int
	Members int
}
