// Package audit measures a run of package batch by samples. It estimates the recall of the run, and how many of its
// decisions are close to the threshold. The audit never changes a decision. Samples are drawn by a fixed seed from the
// texts in order, so the number of workers does not change the figures. Their size is bounded by a share of the texts'
// bytes.
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
	// Threshold is the similarity threshold of the method, which defines borderline pairs. It is 0 if the method has none.
	Threshold float64
	// Lax is the method with a lower threshold. It measures the similarity of refused pairs. If nil, that similarity is not
	// measured.
	Lax neardup.Method
	// List is the number of pairs to list of each kind.
	List int
}

// Result is the result of an audit.
type Result struct {
	// Edits counts the edited copies of sampled texts. Each was made as people and programs edit texts, and searched for
	// like a document.
	Edits []EditsFound `json:"edits"`
	// Sample counts pairs of sampled texts, which were compared even if they share no key.
	Sample SampleFound `json:"sample"`
	// Borderline counts pairs within Border of the threshold.
	Borderline Borderline `json:"borderline"`
	// Removals lists the near pairs of the lowest similarity, each with a different leader. Misses lists the sampled
	// refused pairs and the variants of the highest similarity.
	Removals []Pair `json:"removals,omitempty"`
	Misses   []Pair `json:"misses,omitempty"`
	// Time is the duration of preparation and evaluation.
	Time time.Duration `json:"nanoseconds"`
}

// EditsFound counts the edits of one kind.
type EditsFound struct {
	Kind  edits.Kind `json:"kind"`
	Made  int        `json:"made"`
	Equal int        `json:"equal"` // edits that cleaning undoes
	Near  int        `json:"near"`  // other edits that are near the original
	Found int        `json:"found"` // those of Near that share a key with the original and pass the sketch
}

// SampleFound counts pairs of a sample. Some texts are compared with all texts, or with a share of them if all would be too
// expensive.
type SampleFound struct {
	Texts   int   `json:"texts"`   // sampled texts
	Against int64 `json:"against"` // texts that each was compared with
	Near    int   `json:"near"`    // near pairs
	Groups  int   `json:"groups"`  // those of Texts that have near pairs, because pairs of one text are alike
	Found   int   `json:"found"`   // those of Near that share a key and pass the sketch
}

// Border is the distance to the threshold within which a pair is borderline.
const Border = .05

// Borderline counts pairs by their distance to the threshold. Copies and pairs that a person has ruled on do not count.
type Borderline struct {
	Near    int64 `json:"near"`    // removals, or near pairs
	Above   int64 `json:"above"`   // pairs of Near that are less than Border above the threshold
	Refused int64 `json:"refused"` // pairs that were compared and are not near
	Sampled int   `json:"sampled"` // those of Refused whose similarity was measured
	Below   int   `json:"below"`   // those of Sampled that are at most Border below the threshold
}

// Pair is a pair for a person to read: a document and its leader, or a near miss.
type Pair struct {
	ID         string             `json:"id"`
	Other      string             `json:"other"`
	Similarity float64            `json:"similarity"`
	Basis      string             `json:"basis,omitempty"`
	Variant    bool               `json:"variant,omitempty"`
	Conflicts  []neardup.Conflict `json:"conflicts,omitempty"`
	// Texts holds the clean texts, that of Other second.
	Texts [2]string `json:"-"`
}

// Texts gives access to the distinct clean texts of a run, by their position in the order of decisions, and to its
// documents, by their item. It is safe for concurrent use.
type Texts interface {
	Len() int
	Text(position uint32) (clean string, err error)
	// Size returns the length of a text in bytes and the sketch of its record.
	Size(position uint32) (bytes uint32, sketch uint64, err error)
	// First returns the first document that has a text. Document returns the id and the text of a document.
	First(position uint32) (item uint32, err error)
	Document(item uint32) (id, clean string, err error)
}

// Run is the run that is measured.
type Run struct {
	Texts   Texts
	Method  neardup.Method // after training
	Clean   neardup.Cleaner
	Workers int
	Bytes   int64 // total size of all texts
	// Pairs reports whether the engine would compare the two texts, which share a key.
	Pairs func(key uint64, found, searches Side) bool
}

// Side is a text of a pair and the sketch of its record.
type Side struct {
	Text   uint32
	Sketch uint64
}

const (
	seed = 0x6e656172 // of every sample
	// Each part of an audit may read 1/share of the bytes of the corpus, and at least leastBytes.
	share      = 64
	leastBytes = 96 << 10
	// One text in editedShare is edited.
	editedShare = 128
	// mostEdited limits the number of edited texts. Each of them is edited once by each kind of edit.
	mostEdited = 400
)

// Auditor measures a run. A run without an audit has a nil Auditor, which all methods accept. Only Refuse may be called by
// several goroutines.
type Auditor struct {
	Config
	run      Run
	budget   int64
	out      Result
	expected []expected
	keys     []expectedKey // sorted by key
	at       int           // index in keys of the current posting
	nearest  []listed      // the near pairs of the lowest similarity
	variants []listed      // the variants of the highest similarity

	bound   atomic.Uint64 // refused pairs with a lower hash are sampled
	mu      sync.Mutex
	refused []Refusal // the sampled refused pairs, ordered by hash
	fresh   []Refusal // those sampled since the last call of Taken
}

// expected is a pair of near texts that should share a key. target is the one among the postings; rec is the record of the
// other.
type expected struct {
	target   uint32
	own      Side
	searches bool // the target searches and the other text is found
	found    *int
	done     bool
}

type expectedKey struct {
	key  uint64
	pair int32
}

// New prepares an audit of the texts that a run has read, which must be at least two.
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

// draw returns up to n different numbers in [0, of), in random order.
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

// editText returns the edits of a text, unless the text is equal to one of them.
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

// Visit takes the next text under a key, in the order of keys. It pairs the expected texts that share the key in the same
// way as a bucket.
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
