package neardup

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/zeebo/xxh3"
)

// Verdict is New or Duplicate.
type Verdict string

const (
	New       Verdict = "new"       // the document becomes a leader
	Duplicate Verdict = "duplicate" // the document is near the leader it names
)

// Relation is the relation of a text to a leader, as results show it.
type Relation string

const (
	Same        Relation = "duplicate"     // the texts mean the same
	Unsure      Relation = "unsure"        // a person should decide
	Variant     Relation = "variant"       // the template is the same, but the facts differ
	Overlaps    Relation = "overlap"       // one text has extra words
	ContainedIn Relation = "contained"     // the leader is longer and contains all of the text
	Contains    Relation = "contains"      // the reverse of contained, in comparisons of two texts
	Other       Relation = "new"           // none of these
	Contradicts Relation = "contradiction" // only from VerdictOf: one text denies the other
)

// Decision is the outcome for one document, with the evidence for it. The JSON fields are those of the
// command's --decisions file and of the service's answers.
type Decision struct {
	ID       string  `json:"id"`
	Decision Verdict `json:"decision"`
	// Leader is the id of the leader that the document is a duplicate of.
	Leader string `json:"leader,omitempty"`
	// Similarity is the similarity to the leader, 0..1. It is 0 for a new document.
	Similarity float64 `json:"similarity,omitempty"`
	// KeptBy is the first key of Keep by which the leader precedes this document. It is "" if the order of the input
	// decided.
	KeptBy string `json:"keptBy,omitempty"`
	// Distance is nil if the method has none.
	Distance *int `json:"distance,omitempty"`
	// Via is set with connected components. It is the document that links this one to its component, and Similarity refers
	// to it.
	Via string `json:"via,omitempty"`
	// VariantOf is the best leader that a new document resembles without being the same. The document differs in
	// content, or is longer. Conflicts lists the differences (A is the wording of this document).
	VariantOf string     `json:"variantOf,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Relation is the relation to VariantOf.
	Relation    Relation `json:"relation,omitempty"`
	Probability float64  `json:"probability,omitempty"`
	// Method is the method that judged the pair. For a new document it is the method that searched for one.
	Method string `json:"method"`
	// Basis is the measure: "equal text", "jaccard of words:3", ...
	Basis string `json:"basis,omitempty"`
}

// RelationOf returns the relation of a variant, from its conflicts, the weightiest first.
func RelationOf(unsure bool, conflicts []Conflict) Relation {
	switch {
	case unsure:
		return Unsure
	case len(conflicts) > 0 && conflicts[0].Kind == KindContained:
		return ContainedIn
	case len(conflicts) > 0 && conflicts[0].Kind == KindMore:
		return Overlaps
	}
	return Variant
}

// VerdictOf returns the relation in the terms of a memory service. A variant whose weightiest difference is a
// [KindOpposite] contradicts the known text, and a contained text overlaps it.
func VerdictOf(r Relation, evidence []Conflict) Relation {
	switch {
	case r == ContainedIn:
		return Overlaps
	case r == Variant && len(evidence) > 0 && evidence[0].Kind == KindOpposite:
		return Contradicts
	}
	return r
}

// BasisEqual is the basis of a decision between texts that are equal byte for
// byte once clean.
const BasisEqual = "equal text"

// BasisContained is the basis of a duplicate whose leader contains its passages. The similarity is the contained share.
const BasisContained = "contained share of passages"

// BasisOverride is the basis of a person's decision: nothing was measured, and the similarity is 1.
const BasisOverride = "override"

// BasisBlank is the basis of comparisons and decisions about a document without text. Such a document is near no
// other and is new.
const BasisBlank = "no text"

// Blank reports whether a clean text has no words. A blank text is not evidence: its document is new, and never
// a duplicate of any other, blank or not.
func Blank(clean string) bool { return strings.TrimSpace(clean) == "" }

// Digest is the 128-bit xxh3 hash of a clean text. It finds equal texts but does not prove them equal, so the
// caller compares the bytes before it treats them as one.
type Digest [16]byte

// DigestOf returns the digest of a clean text. About 20 GB/s.
func DigestOf(clean string) Digest {
	return Digest(xxh3.HashString128(clean).Bytes())
}

// Key returns 64 bits of the digest, as a key that equal texts share.
func (d Digest) Key() uint64 { return binary.LittleEndian.Uint64(d[:8]) }

// String returns the digest as 32 hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }
