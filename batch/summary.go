package batch

import (
	"time"

	"github.com/neardup/neardup/batch/audit"
)

// Summary describes what a run has read, decided and done.
type Summary struct {
	Method string `json:"method"` // the spec: name, version, parameters
	Input
	Outcomes
	Effort

	// Audit is the measurement of the run, if requested.
	Audit *audit.Result `json:"audit,omitempty"`
	// Digest identifies all decisions; see ResultDigest.
	Digest string `json:"digest,omitempty"`
	// IndexDigest is the digest of all decisions of the index that documents were added to.
	IndexDigest string `json:"indexDigest,omitempty"`
}

// Input counts what was read.
type Input struct {
	Documents int64 `json:"documents"` // accepted
	Rejected  int64 `json:"rejected"`
	Texts     int64 `json:"texts"`           // distinct clean texts, as far as memory can detect copies, and each that is blank
	Blank     int64 `json:"blank,omitempty"` // documents without text, kept each
	TextBytes int64 `json:"textBytes"`       // of the distinct clean texts
	// SharedIDs counts documents whose id an earlier one has; SharedID is
	// the first such id.
	SharedIDs int64  `json:"sharedIds,omitempty"`
	SharedID  string `json:"sharedId,omitempty"`
}

// Outcomes counts the decisions.
type Outcomes struct {
	Kept      int64     `json:"kept,omitempty"`
	Removed   int64     `json:"removed,omitempty"`
	Equal     int64     `json:"equal,omitempty"`     // of these, with the clean text of the document they name
	Contained int64     `json:"contained,omitempty"` // of these, because that document has its passages
	Variants  int64     `json:"variants,omitempty"`  // kept, and similar to others without being the same
	Overlaps  int64     `json:"overlaps,omitempty"`  // of Variants: kept for their extra words
	Unsure    int64     `json:"unsure,omitempty"`    // of Variants: a person should look
	Overrides int64     `json:"overrides,omitempty"` // pairs that were ruled, and found
	Pairs     int64     `json:"pairs,omitempty"`     // found by Pairs
	Clusters  int64     `json:"clusters,omitempty"`  // leaders with duplicates, or components of several
	Largest   []Cluster `json:"largest,omitempty"`
	// OverridesIgnored counts ruled pairs of which a document is missing.
	OverridesIgnored int64 `json:"overridesIgnored,omitempty"`
}

// Effort is the work of a run.
type Effort struct {
	Buckets       int64 `json:"buckets"`       // keys of at least two texts
	LargestBucket int64 `json:"largestBucket"` // texts
	Work          Work  `json:"work"`
	Partitions    int   `json:"stretches"` // how often the leaders were divided to fit the memory
	// TemporaryBytes were written to temporary files.
	TemporaryBytes int64         `json:"temporaryBytes"`
	ReadTime       time.Duration `json:"readNanoseconds"`
	Time           time.Duration `json:"nanoseconds"`
}

// Cluster is a leader with its duplicates.
type Cluster struct {
	Leader string `json:"leader"`
	Size   int    `json:"size"` // documents, the leader counted
	// Opening is how the leader's clean text begins, Shared the longest
	// part of it that its members (some of them) have too.
	Opening string `json:"opening"`
	Shared  string `json:"shared,omitempty"`
	// Weakest is, of a connected component, the link of least similarity
	// among those that hold it together.
	Weakest *Pair `json:"weakest,omitempty"`
}
