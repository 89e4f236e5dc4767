// Package audit measures a run of package batch by samples: how much it finds of what it should, and how close
// to the threshold it decides. The audit never changes a decision. Samples are drawn by a fixed seed from the
// texts in order, so that workers change no number. Their size is bounded by a share of the texts' bytes.
package audit

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/edits"
	"github.com/neardup/neardup/internal/inorder"
)

// Config sets what is measured.
type Config struct {
	// Threshold of the method's similarity, for what is borderline; 0: it
	// has none.
	Threshold float64
	// Lax is the method with a lower threshold, by which the similarity of
	// refused pairs is measured; nil: it is not.
	Lax neardup.Method
	// List is how many pairs are listed of each kind.
	List int
}

// Result is what a run measured about itself.
type Result struct {
	// Edits are copies of sampled texts, edited as people and programs do,
	// that were searched for as if they were documents.
	Edits []EditsFound `json:"edits"`
	// Sample are pairs of sampled texts that were compared whatever their keys.
	Sample SampleFound `json:"sample"`
	// Borderline counts pairs within Border of the threshold.
	Borderline Borderline `json:"borderline"`
	// Removals are near pairs of the least similarity, each of another
	// leader; Misses the refused pairs, of a sample, that were closest, and
	// variants of the highest similarity.
	Removals []Pair `json:"removals,omitempty"`
	Misses   []Pair `json:"misses,omitempty"`
	// Time is the duration of preparation and evaluation.
	Time time.Duration `json:"nanoseconds"`
}

// EditsFound counts the edits of one kind.
type EditsFound struct {
	Kind  edits.Kind `json:"kind"`
	Made  int        `json:"made"`
	Equal int        `json:"equal"` // that cleaning undoes
	Near  int        `json:"near"`  // other copies near the original
	Found int        `json:"found"` // of these, by a key and the sketch
}

// SampleFound counts pairs of a sample: some texts against all, or against a
// share of all where that would be too much.
type SampleFound struct {
	Texts   int   `json:"texts"`   // compared with
	Against int64 `json:"against"` // texts
	Near    int   `json:"near"`    // pairs
	Groups  int   `json:"groups"`  // of Texts, those with near pairs: pairs of one text are alike
	Found   int   `json:"found"`   // of the near ones, by a key and the sketch
}

// Border is the distance to the threshold within which a pair is borderline.
const Border = .05

// Borderline counts pairs by their distance to the threshold; copies and what
// a person has ruled are not counted.
type Borderline struct {
	Near    int64 `json:"near"`    // removals, or pairs
	Above   int64 `json:"above"`   // of these, less than Border above
	Refused int64 `json:"refused"` // pairs compared and not near
	Sampled int   `json:"sampled"` // of these
	Below   int   `json:"below"`   // of these, at most Border below
}

// Pair is a pair to look at: a document and its leader, or a near miss.
type Pair struct {
	ID         string             `json:"id"`
	Other      string             `json:"other"`
	Similarity float64            `json:"similarity"`
	Basis      string             `json:"basis,omitempty"`
	Variant    bool               `json:"variant,omitempty"`
	Conflicts  []neardup.Conflict `json:"conflicts,omitempty"`
	// Texts are the clean texts, the text of Other second.
	Texts [2]string `json:"-"`
}

// Texts are the distinct clean texts of a run by their position, the order in which they
// are decided, and its documents by their item. Safe for concurrent use.
type Texts interface {
	Len() int
	Text(position uint32) (clean string, err error)
	// Size is how many bytes a text has, and the sketch of its record.
	Size(position uint32) (bytes uint32, sketch uint64, err error)
	// First is the first document that has a text, Document the id and the text of one.
	First(position uint32) (item uint32, err error)
	Document(item uint32) (id, clean string, err error)
}

// Run is the run that is measured.
type Run struct {
	Texts   Texts
	Method  neardup.Method // trained
	Clean   neardup.Cleaner
	Workers int
	Bytes   int64 // of all texts
	// Pairs reports whether two texts under a key become a candidate, as any
	// two of its bucket.
	Pairs func(key uint64, found, searches Side) bool
}

// Side is a text of a pair and the sketch of its record.
type Side struct {
	Text   uint32
	Sketch uint64
}

const (
	seed = 0x6e656172 // of all samples
	// share bounds the bytes of text that each part of an audit may read, as a fraction of the corpus; it may
	// read at least leastBytes.
	share      = 64
	leastBytes = 96 << 10
	// editedShare is how many texts have one that is edited.
	editedShare = 128
	// mostEdited bounds the texts that are edited; each is once by each kind.
	mostEdited = 400
)

// Auditor measures a run. All its methods accept a nil Auditor, which a run without an audit has. They are for
// one goroutine, except Refuse.
type Auditor struct {
	Config
	run      Run
	budget   int64
	out      Result
	expected []expected
	keys     []expectedKey // by key
	at       int           // in keys, while postings go by
	nearest  []listed      // near pairs of least similarity
	variants []listed      // of the highest

	bound   atomic.Uint64 // refused pairs of lower hashes are sampled
	mu      sync.Mutex
	refused []Refusal // by hash
	fresh   []Refusal // since the last call of Taken
}

// expected is a pair of near texts that should share a key: target among the postings, the other with its
// record.
type expected struct {
	target   uint32
	own      Side
	searches bool // the target does, and the other is found
	found    *int
	done     bool
}

type expectedKey struct {
	key  uint64
	pair int32
}

// New prepares an audit of what was read, of two texts at least.
func New(ctx context.Context, cfg Config, run Run) (*Auditor, error) {
	begun := time.Now()
	a := &Auditor{Config: cfg, run: run, budget: max(run.Bytes/share, leastBytes)}
	a.bound.Store(^uint64(0))
	if err := a.edit(ctx); err != nil {
		return nil, err
	}
	if err := a.brute(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(a.keys, func(x, y expectedKey) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.pair, y.pair)) })
	a.out.Time = time.Since(begun)
	return a, nil
}

// draw returns up to n different places below of, in a random order.
func draw(rng *rand.Rand, n, of int) []int {
	if n >= of/2 {
		return rng.Perm(of)[:min(n, of)]
	}
	drawn, out := map[int]bool{}, make([]int, 0, n)
	for len(out) < n {
		if i := rng.IntN(of); !drawn[i] {
			drawn[i] = true
			out = append(out, i)
		}
	}
	return out
}

// edited is a text with its edits.
type edited struct {
	near  []editedText
	kinds [8]editCount
}

type editCount struct{ made, equal bool }

type editedText struct {
	kind int
	rec  neardup.Record
}

// edit edits sampled texts and notes which of the edits should be found.
func (a *Auditor) edit(ctx context.Context) error {
	kinds := edits.Kinds()
	n := a.run.Texts.Len()
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	var chosen []uint32
	budget := a.budget
	for _, p := range draw(rng, min(mostEdited, max(n/editedShare, 25)), n) {
		bytes, _, err := a.run.Texts.Size(uint32(p))
		if err != nil {
			return err
		}
		if size := int64(bytes) * int64(len(kinds)); bytes > 0 && size <= budget {
			budget -= size
			chosen = append(chosen, uint32(p))
		}
	}
	all := make([]edited, len(chosen))
	err := inorder.Each(ctx, a.run.Workers, len(chosen), func(i int) error {
		other, err := a.run.Texts.Text(chosen[(i+1)%len(chosen)])
		if err != nil {
			return err
		}
		clean, err := a.run.Texts.Text(chosen[i])
		if err == nil && !neardup.Blank(clean) {
			all[i] = editText(a.run.Method, a.run.Clean, clean, other, rand.New(rand.NewPCG(seed, uint64(i))))
		}
		return err
	})
	if err != nil {
		return err
	}
	a.out.Edits = make([]EditsFound, len(kinds))
	for k, kind := range kinds {
		a.out.Edits[k].Kind = kind
	}
	for i := range all {
		a.expectEdits(chosen[i], uint32(n+i), &all[i])
	}
	return nil
}

// editText makes the edits of a text that is not equal to any of them.
func editText(m neardup.Method, cleaner neardup.Cleaner, clean, other string, rng *rand.Rand) (e edited) {
	view := m.Prepare(clean)
	for k, kind := range edits.Kinds() {
		raw, ok := edits.Make(kind, clean, other, rng)
		if !ok {
			continue
		}
		e.kinds[k].made = true
		made := cleaner.Clean(raw)
		if made == clean {
			e.kinds[k].equal = true
			continue
		}
		if neardup.Blank(made) || !m.Compare(view, m.Prepare(made)).Near {
			continue
		}
		t := editedText{kind: k}
		m.Record(made, &t.rec)
		e.near = append(e.near, t)
	}
	return e
}

func (a *Auditor) expectEdits(target, own uint32, e *edited) {
	for k, c := range e.kinds {
		if c.made {
			a.out.Edits[k].Made++
		}
		if c.equal {
			a.out.Edits[k].Equal++
		}
	}
	for i := range e.near {
		f := &a.out.Edits[e.near[i].kind]
		f.Near++
		a.expect(target, own, &e.near[i].rec, false, &f.Found)
	}
}

// expect records that a text with a record should share a key with the target. One of them searches and finds
// the other.
func (a *Auditor) expect(target, own uint32, rec *neardup.Record, targetSearches bool, found *int) {
	keys := rec.Probes()
	if targetSearches {
		keys = rec.Index
	}
	pair := int32(len(a.expected))
	a.expected = append(a.expected, expected{target: target, own: Side{own, rec.Sketch}, searches: targetSearches, found: found})
	for _, k := range keys {
		a.keys = append(a.keys, expectedKey{k, pair})
	}
}

// Visit takes the next text under a key, in the order of keys. Pairs that should share a key, and do, go through
// the same pairing as any bucket.
func (a *Auditor) Visit(key uint64, next Side, found, searches bool) {
	if a == nil {
		return
	}
	for a.at < len(a.keys) && a.keys[a.at].key < key {
		a.at++
	}
	for i := a.at; i < len(a.keys) && a.keys[i].key == key; i++ {
		e := &a.expected[a.keys[i].pair]
		has, pair := found, [2]Side{next, e.own}
		if e.searches {
			has, pair = searches, [2]Side{e.own, next}
		}
		if !e.done && e.target == next.Text && has && a.run.Pairs(key, pair[0], pair[1]) {
			e.done = true
			*e.found++
		}
	}
}
