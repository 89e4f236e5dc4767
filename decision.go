package neardup

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/zeebo/xxh3"
)

// Verdict is one of New and Duplicate.
type Verdict string

const (
	New       Verdict = "new"       // becomes a leader
	Duplicate Verdict = "duplicate" // near the leader it names
)

// Relation is the relation of a text to a leader, for readers of results.
type Relation string

const (
	Same        Relation = "duplicate"     // they mean the same
	Unsure      Relation = "unsure"        // a person should look
	Variant     Relation = "variant"       // one template, other facts
	Overlaps    Relation = "overlap"       // one text is longer
	ContainedIn Relation = "contained"     // the leader contains all of the text, and is longer
	Contains    Relation = "contains"      // the reverse, in comparisons of two texts
	Other       Relation = "new"           // anything else
	Contradicts Relation = "contradiction" // by VerdictOf only: the same, denied
)

// Decision is the outcome for one document, with the evidence for it. The JSON fields are those of the
// command's --decisions file and of the service's answers.
type Decision struct {
	ID       string  `json:"id"`
	Decision Verdict `json:"decision"`
	// Leader is the id of the leader that a duplicate was compared with.
	Leader string `json:"leader,omitempty"`
	// Similarity to the leader, 0..1; 0 for a new document.
	Similarity float64 `json:"similarity,omitempty"`
	// KeptBy is the first key of the order by which the leader precedes this document; "" in the order of the
	// input.
	KeptBy string `json:"keptBy,omitempty"`
	// Distance is nil if the method has none.
	Distance *int `json:"distance,omitempty"`
	// Via is set for connected components: the document that links this one to its component, and that
	// Similarity refers to.
	Via string `json:"via,omitempty"`
	// VariantOf is the best leader that a new document resembles without being the same. The document differs in
	// content, or is longer. Conflicts lists the differences (A is the wording of this document).
	VariantOf string     `json:"variantOf,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// Relation to VariantOf, and the similarity to it: by auto, the probability that the two mean the same.
	Relation    Relation `json:"relation,omitempty"`
	Probability float64  `json:"probability,omitempty"`
	// Method is the method that judged the pair. For a new document it is the method that searched for one.
	Method string `json:"method"`
	// Basis is the measure: "equal text", "jaccard of words:3", ...
	Basis string `json:"basis,omitempty"`
}

// RelationOf returns the relation that the conflicts of a variant, the weightiest first, give it.
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

// VerdictOf returns what a reader of memories does with a text of a relation to a known one: a variant whose
// weightiest difference is a [KindOpposite] contradicts it, and a contained text overlaps.
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

// BasisContained is the basis of a duplicate whose passages its leader has. The similarity is their share.
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
