package batch

import (
	"time"

	"github.com/neardup/neardup/batch/audit"
)

// Summary describes the input, the decisions and the work of a run.
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
	Documents int64 `json:"documents"` // accepted documents
	Rejected  int64 `json:"rejected"`
	Texts     int64 `json:"texts"`           // distinct clean texts, as far as memory suffices to detect copies; each blank text counts
	Blank     int64 `json:"blank,omitempty"` // documents without text, all of which are kept
	TextBytes int64 `json:"textBytes"`       // size of the distinct clean texts
	// SharedIDs counts documents whose id an earlier document has. SharedID is the first such id.
	SharedIDs int64  `json:"sharedIds,omitempty"`
	SharedID  string `json:"sharedId,omitempty"`
}

// Outcomes counts the decisions.
type Outcomes struct {
	Kept      int64     `json:"kept,omitempty"`
	Removed   int64     `json:"removed,omitempty"`
	Equal     int64     `json:"equal,omitempty"`     // those of Duplicates that have the clean text of the document they name
	Contained int64     `json:"contained,omitempty"` // those of Duplicates whose passages that document contains
	Variants  int64     `json:"variants,omitempty"`  // documents that are kept because they are similar to others, but not the same
	Overlaps  int64     `json:"overlaps,omitempty"`  // those of Variants that are kept for their extra words
	Unsure    int64     `json:"unsure,omitempty"`    // those of Variants that a person should read
	Overrides int64     `json:"overrides,omitempty"` // pairs with a ruling that the run found
	Pairs     int64     `json:"pairs,omitempty"`     // near pairs that Pairs found
	Clusters  int64     `json:"clusters,omitempty"`  // leaders with duplicates, or components of at least two documents
	Largest   []Cluster `json:"largest,omitempty"`
	// OverridesIgnored counts rulings on pairs of which the input lacks a document.
	OverridesIgnored int64 `json:"overridesIgnored,omitempty"`
}

// Effort is the work of a run.
type Effort struct {
	Buckets       int64 `json:"buckets"`       // keys that at least two texts share
	LargestBucket int64 `json:"largestBucket"` // number of its texts
	Work          Work  `json:"work"`
	Partitions    int   `json:"stretches"` // into how many partitions the leaders were divided to fit the memory
	// TemporaryBytes counts the bytes written to temporary files.
	TemporaryBytes int64         `json:"temporaryBytes"`
	ReadTime       time.Duration `json:"readNanoseconds"`
	Time           time.Duration `json:"nanoseconds"`
}

// Cluster is a leader with its duplicates.
type Cluster struct {
	Leader string `json:"leader"`
	Size   int    `json:"size"` // number of documents, including the leader
	// Opening is the beginning of the leader's clean text. Shared is the longest part of that text that the other members
	// also have, as far as they were searched.
	Opening string `json:"opening"`
	Shared  string `json:"shared,omitempty"`
	// Weakest is, in a connected component, the least similar of the links that hold it together.
	Weakest *Pair `json:"weakest,omitempty"`
}
