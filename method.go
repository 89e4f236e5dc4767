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

// Record is what a method makes of one clean text so that similar texts can be
// found: 64-bit keys, at least one of them shared by similar texts, and 64
// bits of sketch by which most candidates can be rejected unseen.
type Record struct {
	// Index are the keys under which the text is found. Without
	// duplicates, in any order. A text without features has none and is
	// only ever the duplicate of an equal text.
	Index []uint64
	// Probe are the keys under which others are searched; nil when they
	// are the index keys (the usual case).
	Probe []uint64
	// Sketch is the SimHash fingerprint for SimHash, and for other methods
	// whatever 64 bits Plausible makes use of.
	Sketch uint64
}

// Probes returns the keys to search under: Probe, or Index where it is nil.
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

// View is what Compare needs of one text: a set of shingles, the runes, a
// fingerprint. Immutable once made, so it can be cached and shared.
type View interface {
	// Bytes is the memory the view holds, about, for cache accounting.
	Bytes() int
}

// Match is the outcome of comparing two texts.
type Match struct {
	// Similarity is exact, from 0 to 1. It is symmetric but for a method whose Near is not:
	// there it is how sure it is that the first text may go for the second.
	Similarity float64 `json:"similarity"`
	// Closeness is how much alike the texts are by the search of a [Judging] method, else 0.
	Closeness float64 `json:"-"`
	// Distance is the Hamming distance of two fingerprints or the edit
	// distance of two texts, and -1 where the method knows none.
	Distance int `json:"distance"`
	// Near says that the pair meets the method's threshold.
	Near bool `json:"near"`
	// Variant says that the texts are similar and not the same: one template,
	// another number or name, or one says more. Never true together with Near.
	Variant bool `json:"variant,omitempty"`
	// Overlap reports of a Variant that one text says more than the other; Contained, that the second text
	// says all that the first one does; Unsure, that a person should look.
	Overlap   bool `json:"overlap,omitempty"`
	Contained bool `json:"contained,omitempty"`
	Unsure    bool `json:"unsure,omitempty"`
	// Method is the name of the method that judged; Basis what it measured,
	// for example "jaccard of words:3".
	Method string `json:"method"`
	Basis  string `json:"basis"`
}

// Conflict is what two texts state differently: A and B as they stand in the
// first and in the second text, "" where one does not state it.
type Conflict struct {
	Kind string  `json:"kind"` // number, word, opposite, exchanged, more-within, ...
	A    string  `json:"a,omitempty"`
	B    string  `json:"b,omitempty"`
	Bits float64 `json:"bits,omitempty"` // what it says for (more than 0) or against the same
}

// Relation names what the first text is to the second.
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

// Rank decides between leaders: the Similarity, but the Closeness of near ones where it is known.
func (m Match) Rank() float64 {
	if m.Near && m.Closeness != 0 {
		return m.Closeness
	}
	return m.Similarity
}

// Better reports whether m is stronger evidence than o: higher rank
// first, then smaller distance. Equal ones are decided by the caller's order.
func (m Match) Better(o Match) bool {
	if x, y := m.Rank(), o.Rank(); x != y {
		return x > y
	}
	return m.Distance < o.Distance
}

// Method finds and judges near-duplicates. All of it is pure and safe for
// concurrent use: the same clean text always gives the same record, whatever
// the machine, the worker or the order.
//
// The promise between the parts: if Compare(a, b) is Near then, by
// construction or with the probability the method documents, a probe key of
// one is an index key of the other, and Plausible is true of their sketches.
// Texts that are equal byte for byte are duplicates for every method; the
// caller sees to that and does not ask Compare.
type Method interface {
	// Spec describes the method and every parameter that changes a result.
	Spec() Spec
	// Record fills rec (reset first) with the keys and the sketch of a
	// clean text. O(len(clean)).
	Record(clean string, rec *Record)
	// Plausible is false only if two texts with these sketches cannot be
	// Near. It is a filter, called for every candidate: a few nanoseconds.
	Plausible(a, b uint64) bool
	// View makes what Compare needs. O(len(clean)).
	View(clean string) View
	// Compare verifies a candidate: whether text a may go for the leader b. It is exact. A
	// method whose Near depends on which of two is the leader, since one says
	// more than the other, says so; for all others it is symmetric. It may stop
	// early once the pair cannot be Near, and then leaves Similarity at 0.
	Compare(a, b View) Match
}

// Judging is a Method that finds by one similarity and judges by what costs more. Of all leaders a text
// goes for the closest that holds it, so that those farther off need not be judged.
type Judging interface {
	Method
	// Meet is Compare as far as it costs little: with judged the outcome, else nothing but the
	// Closeness with which Judge goes on.
	Meet(a, b View) (m Match, judged bool)
	// Judge is Compare of what Meet left open.
	Judge(a, b View, closeness float64) Match
}

// Meet is that of a method that judges apart, else Compare.
func Meet(m Method, a, b View) (match Match, judged bool) {
	if j, ok := m.(Judging); ok {
		return j.Meet(a, b)
	}
	return m.Compare(a, b), true
}

// Kinds of the first conflict of a pair of which one text says more: KindMore, or KindContained if the second text
// says all that the first one does.
const (
	KindMore      = "more"
	KindContained = "contained"
)

// Kinds of a fact in the place of another one.
const (
	KindNumber   = "number"
	KindOpposite = "opposite"
)

// Explainer is a Method that can say in what two texts differ.
type Explainer interface {
	Method
	// Conflicts are what a and b state differently, the weightiest first.
	// Not for the hot path: it is asked for what is reported only.
	Conflicts(a, b View) []Conflict
}

// Measurer is a Method that can say how similar two texts are below its
// threshold too, where Compare stops early.
type Measurer interface {
	Method
	// Measure is the Similarity that Compare would give without a threshold.
	// Not for the hot path: it is asked for what is shown to people.
	Measure(a, b View) float64
}

// Overlapping is a Method whose near texts have features in common, so that
// those that may be near one can be found by its features where many share a key.
type Overlapping interface {
	Method
	// Overlaps appends what a text has in common with any that Compare finds
	// near it, or a variant of it: one Overlap for each measure that may judge
	// it, nothing where no text is near. Both texts of such a pair have the
	// Overlap of the measure that judges it, and what is in both of its
	// Features weighs as much as either says, by its Weights.
	Overlaps(dst []Overlap, v View) []Overlap
}

// Templated is a Method that knows which texts differ in nothing but what fills the slots of
// a template.
type Templated interface {
	Method
	// Template returns what stays of a text if other things fill its slots, 0 where that is
	// not known, and what fills them in their order. Of two texts of one template Compare depends on nothing
	// but how many of the fillers differ, and is not Near where any does, as long as no
	// filler of the one stands in another slot of the other.
	Template(v View) (template uint64, fillers []uint64)
}

// Overlap are the features of a text, sorted, each once. What their hashes
// stand for is the method's.
type Overlap struct {
	Features []uint64
	Weights  []uint64 // of each; nil: each weighs 1
	// Least is what is in common with a text whose features weigh no more at
	// the least, LeastLarger with one whose features weigh as much or more.
	// 0 where nothing need be in common, or it is not known.
	Least, LeastLarger uint64
}

// Trainable is a Method that chooses its keys by how rare features are in a
// corpus. Training changes how much work is done, never what is found.
type Trainable interface {
	Method
	// Trainer starts counting in about memory bytes, whatever the corpus; a
	// method says how many it takes at least.
	Trainer(memory int64) Trainer
}

// Trainer counts features over the texts of a corpus. Add is safe for
// concurrent use; counts commute, so order and workers change nothing.
type Trainer interface {
	Add(clean string)
	// Method returns the method with the counted table. No Add may follow.
	Method() Method
}

// Repeated is a Trainer that makes use of seeing all texts once more.
type Repeated interface {
	Trainer
	// Again ends this pass and returns the trainer of the next one, nil if
	// none is needed. All texts counted before are to be added to it.
	Again() Trainer
}

// Portable is a Trainer whose counts can be written, and added to those of
// another: parts of a corpus are counted apart, and what comes of it is what
// one trainer of all would have counted.
type Portable interface {
	Trainer
	io.WriterTo
	// ReadFrom adds the counts that WriteTo wrote; an error where they are
	// of another method.
	io.ReaderFrom
}

// Param is one named parameter of a method, as text.
type Param struct{ Name, Value string }

// Spec is a method's description of itself: name, version of its definition
// and all parameters in a fixed order. Records made under different specs
// cannot be compared.
type Spec struct {
	Method  string
	Version int // raised whenever the same text would get other keys or another similarity
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

// ErrUnlike is returned when records of different methods, parameters or
// versions are to be compared.
var ErrUnlike = errors.New("records are not comparable")

// Like returns nil if records made under s and o can be compared, else an
// error that wraps ErrUnlike and names the difference.
func (s Spec) Like(o Spec) error {
	if a, b := s.String(), o.String(); a != b {
		return fmt.Errorf("%w: %q against %q", ErrUnlike, a, b)
	}
	return nil
}

// SeedID tells two seeds apart in a Spec and gives nothing else away: "0" for
// the seed 0 of a batch, else 8 hex digits of a SHA-256.
func SeedID(seed uint64) string {
	if seed == 0 {
		return "0"
	}
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("neardup seed "), seed))
	return hex.EncodeToString(sum[:4])
}
