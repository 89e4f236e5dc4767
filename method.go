package neardup

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Record describes a clean text for the search. Similar texts share at least one 64-bit key. The 64-bit sketch rejects most
// candidates without reading their texts.
type Record struct {
	// Index holds the keys under which the text is found, without repetitions and in any order. A text without features has
	// none, so it can only be the duplicate of an equal text.
	Index []uint64
	// Probe holds the keys to search under. It is nil if they are the index keys, which is the usual case.
	Probe []uint64
	// Sketch is the fingerprint for SimHash. Other methods put into it what their Plausible needs.
	Sketch uint64
}

// Probes returns the keys to search under: Probe, or Index if it is nil.
func (r *Record) Probes() []uint64 {
	if r.Probe != nil {
		return r.Probe
	}
	return r.Index
}

// Reset empties the record and keeps its memory.
func (r *Record) Reset() {
	r.Index, r.Probe, r.Sketch = r.Index[:0], nil, 0
}

// A Prepared is a text in the form that Compare needs, such as a set of shingles, the runes or a fingerprint. It never
// changes, so it can be cached and shared.
type Prepared interface {
	// Bytes returns the approximate memory that it takes, for caches.
	Bytes() int
}

// Match is the result of comparing two texts.
type Match struct {
	// Similarity is exact, from 0 to 1. It is symmetric if the method's Near is symmetric. Otherwise it is the
	// certainty that the first text may be removed for the second.
	Similarity float64 `json:"similarity"`
	// Closeness is the similarity in the search of a [TwoStage] method, otherwise 0.
	Closeness float64 `json:"-"`
	// Distance is the Hamming distance of two fingerprints or the edit distance of two texts. It is -1 if the method has
	// none.
	Distance int `json:"distance"`
	// Near is set if the pair meets the method's threshold.
	Near bool `json:"near"`
	// Variant is set if the texts are similar but not the same, because one template has another number or name, or because
	// one text is longer. Near is then false.
	Variant bool `json:"variant,omitempty"`
	// Overlap is set if one text of a Variant contains extra words. Contained is set if the second text contains all
	// of the first. Unsure is set if a person should decide.
	Overlap   bool `json:"overlap,omitempty"`
	Contained bool `json:"contained,omitempty"`
	Unsure    bool `json:"unsure,omitempty"`
	// Method is the name of the method that decided. Basis is what it measured, for example "jaccard of words:3".
	Method string `json:"method"`
	Basis  string `json:"basis"`
	// Evidence lists the differences of the texts, the weightiest first. Explain sets it; Compare does not.
	Evidence []Conflict `json:"-"`
}

// Conflict is a difference between two texts. A is the wording of the first and B of the second, or "" if one has none.
type Conflict struct {
	Kind string  `json:"kind"` // number, word, opposite, exchanged, more-within, ...
	A    string  `json:"a,omitempty"`
	B    string  `json:"b,omitempty"`
	Bits float64 `json:"bits,omitempty"` // more than 0 if it speaks for the same, less if against
}

// Relation returns the relation of the first text to the second.
func (m Match) Relation() Relation {
	switch {
	case m.Near && m.Basis == BasisContained, m.Contained && !m.Near:
		return ContainedIn
	case m.Near:
		return Same
	case m.Unsure:
		return Unsure
	case m.Overlap:
		return Overlaps
	case m.Variant:
		return Variant
	}
	return Other
}

// Rank orders leaders. It is the Closeness of near leaders if that is known, otherwise the Similarity.
func (m Match) Rank() float64 {
	if m.Near && m.Closeness != 0 {
		return m.Closeness
	}
	return m.Similarity
}

// Better reports whether m is stronger evidence than o: higher rank first, then smaller distance. The caller's order
// decides ties.
func (m Match) Better(o Match) bool {
	if x, y := m.Rank(), o.Rank(); x != y {
		return x > y
	}
	return m.Distance < o.Distance
}

// Method finds and compares near-duplicates. Its functions are pure and safe for concurrent use: a clean text always gives
// the same record, on every machine and in any order.
//
// If Compare(a, b) is Near, a probe key of one text is an index key of the other. That holds always, or with the
// probability that the method documents. Plausible then returns true for their sketches. Equal texts are duplicates for
// every method. The caller detects them and does not call Compare.
type Method interface {
	// Spec describes the method and every parameter that changes a result.
	Spec() Spec
	// Record sets rec to the keys and the sketch of a clean text. O(len(clean)).
	Record(clean string, rec *Record)
	// Plausible returns false only if two texts with these sketches cannot be Near. It is called for every candidate, so it
	// must take a few nanoseconds.
	Plausible(a, b uint64) bool
	// Prepare returns the form of a text that Compare needs. O(len(clean)).
	Prepare(clean string) Prepared
	// Compare decides whether text a may be removed as a duplicate of the leader b. It is exact. It is symmetric, unless
	// the method documents that Near depends on which text is the leader. It may stop early once the pair cannot be Near,
	// and then leaves Similarity at 0.
	Compare(a, b Prepared) Match
}

// TwoStage is a Method that first compares two texts by a cheap similarity, then by an expensive one, and that can explain
// the result. A text is removed for the closest leader that it is near, so engines need not compare more distant leaders.
type TwoStage interface {
	Method
	// Screen runs the cheap part of Compare. If decided is true, m is what Compare returns; otherwise only
	// m.Closeness is set, and Decide finishes.
	Screen(a, b Prepared) (m Match, decided bool)
	// Decide returns the result of Compare for a pair that Screen could not decide.
	Decide(a, b Prepared, closeness float64) Match
	// Explain returns the result of Compare with the Evidence, even if the texts are unlike. It costs more than
	// Compare, so engines call it only for pairs that they report.
	Explain(a, b Prepared) Match
	// Template returns the text without its fillers, or 0 if it has none, and the fillers in order. Compare of two texts
	// with one template depends only on two things: which fillers of one are equal to which of the other, and the order of
	// the first two fillers that differ in one slot. The low half of a filler identifies it, and the high half orders it.
	Template(v Prepared) (template uint64, fillers []uint64)
}

// Screen calls the method's Screen. If the method has no stages, it calls Compare.
func Screen(m Method, a, b Prepared) (match Match, decided bool) {
	if t, ok := m.(TwoStage); ok {
		return t.Screen(a, b)
	}
	return m.Compare(a, b), true
}

// Explain calls the method's Explain, or Compare if the method has no evidence. If the method can measure it, Explain also
// returns the similarity of texts that are not near.
func Explain(m Method, a, b Prepared) Match {
	if t, ok := m.(TwoStage); ok {
		return t.Explain(a, b)
	}
	match := m.Compare(a, b)
	if s, ok := m.(Searchable); ok && match.Similarity == 0 {
		match.Similarity = s.Measure(a, b)
	}
	return match
}

// Kinds of the first conflict of a pair in which one text is longer. With KindContained the second text contains all of the
// first, with KindMore it does not.
const (
	KindMore      = "more"
	KindContained = "contained"
)

// Kinds of a conflict in which one fact replaces another.
const (
	KindNumber   = "number"
	KindOpposite = "opposite"
)

// Searchable is a Method whose near texts have features in common. Engines search by these features where many texts
// share a key.
type Searchable interface {
	Method
	// FeatureSets appends one set for each measure that may apply to the text, and none if no text can be near it. If
	// Compare finds two texts near, or variants, both have the set of the measure that applied. Their common Features then
	// weigh at least what either set requires, by its Weights.
	FeatureSets(dst []FeatureSet, v Prepared) []FeatureSet
	// Measure returns the Similarity that Compare would give without a threshold. Engines do not call it; it is for
	// display.
	Measure(a, b Prepared) float64
}

// FeatureSet holds the features of a text, sorted and without repetitions. The method defines the meaning of the hashes.
type FeatureSet struct {
	Features []uint64
	Weights  []uint64 // weight of each feature; nil means that each weighs 1
	// Least is the least common weight with a text that weighs at most as much, and LeastLarger with one that weighs at
	// least as much. 0 means that no common weight is required, or that it is unknown.
	Least, LeastLarger uint64
}

// Trainable is a Method that chooses its keys by how rare features are in a corpus. Training changes the amount of work,
// but not the result.
type Trainable interface {
	Method
	// Trainer starts counting in about memory bytes, for a corpus of any size. Methods document their minimum. It returns
	// nil if the method needs no training.
	Trainer(memory int64) Trainer
}

// Trainer counts features over the texts of a corpus. Add is safe for concurrent use. Neither the order nor the number of
// workers changes the result.
type Trainer interface {
	Add(clean string)
	// NextPass ends this pass and returns the trainer of the next one, or nil if no other pass is needed. The caller adds
	// all texts again to the new trainer.
	NextPass() Trainer
	// Method returns the method with the counted table. Add must not be called afterwards.
	Method() Method
}

// Mergeable is a Trainer whose counts can be written, and added to those of another Trainer. So parts of a corpus can be
// counted separately, with the same result as one trainer for all.
type Mergeable interface {
	Trainer
	io.WriterTo
	// ReadFrom adds the counts that WriteTo wrote. It fails if they belong to another method.
	io.ReaderFrom
}

// Param is a named parameter of a method, as text.
type Param struct{ Name, Value string }

// Spec identifies a method: its name, the version of its definition, and all parameters in a fixed order. Records with
// different specs cannot be compared.
type Spec struct {
	Method  string
	Version int // must be raised when any text would get other keys or another similarity
	Params  []Param
}

// String prints the spec in one line: "minhash/1 shingle=auto:3 threshold=0.8".
func (s Spec) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%d", s.Method, s.Version)
	for _, p := range s.Params {
		fmt.Fprintf(&b, " %s=%s", p.Name, p.Value)
	}
	return b.String()
}

// ErrUnlike is wrapped by the error about comparing records of different methods, parameters or versions.
var ErrUnlike = errors.New("records are not comparable")

// Like returns nil if records made under s and o can be compared. Otherwise its error wraps ErrUnlike and names
// the difference.
func (s Spec) Like(o Spec) error {
	if a, b := s.String(), o.String(); a != b {
		return fmt.Errorf("%w: %q and %q", ErrUnlike, a, b)
	}
	return nil
}

// SeedID identifies a seed in a Spec without revealing it. It returns "0" for the seed 0 of a batch, otherwise 8 hex digits
// of a SHA-256.
func SeedID(seed uint64) string {
	if seed == 0 {
		return "0"
	}
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("neardup seed "), seed))
	return hex.EncodeToString(sum[:4])
}
