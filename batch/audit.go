package batch

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
)

// Audit asks a run to measure itself, by samples: what it finds of what it
// should, and how close to the threshold it decides. Nothing of it changes a
// decision. Samples are drawn by a fixed seed from the texts in their order, so
// that workers change no number; their size is bounded by a share of the texts'
// bytes (auditShare).
type Audit struct {
	// Threshold of the method's similarity, for what is borderline; 0: it
	// has none.
	Threshold float64
	// Lax is the method with a lower threshold, by which the similarity of
	// refused pairs is measured; nil: it is not.
	Lax neardup.Method
	// List is how many pairs are listed of each kind.
	List int
	// Recurring is how many differences that recur are listed, those of the
	// most texts, and RecurringOf how many texts are looked at for them, the first.
	Recurring, RecurringOf int
}

// Audited is what a run says of itself.
type Audited struct {
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
	Removals []AuditPair `json:"removals,omitempty"`
	Misses   []AuditPair `json:"misses,omitempty"`
	// Recurring are the differences that most texts have from the document that
	// they were compared with, of RecurringOf texts that were not equal to it.
	Recurring   []Recurring `json:"recurring,omitempty"`
	RecurringOf int         `json:"recurringOf,omitempty"`
	// Time is what preparing and evaluating took.
	Time time.Duration `json:"nanoseconds"`
}

// EditsFound counts the edits of one kind.
type EditsFound struct {
	Kind  edits.Kind `json:"kind"`
	Made  int        `json:"made"`
	Equal int        `json:"equal"` // that cleaning undoes
	Near  int        `json:"near"`  // of the others, near the text they are of
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

// AuditPair is one to look at: a document and the one that it was, or was not,
// found to be a duplicate of.
type AuditPair struct {
	ID         string             `json:"id"`
	Other      string             `json:"other"`
	Similarity float64            `json:"similarity"`
	Basis      string             `json:"basis,omitempty"`
	Variant    bool               `json:"variant,omitempty"`
	Conflicts  []neardup.Conflict `json:"conflicts,omitempty"`
	// Texts are the clean texts, that of Other second.
	Texts [2]string `json:"-"`
}

const (
	auditSeed = 0x6e656172 // of all samples
	// auditShare: each part of an audit may go over as many bytes of text as
	// one in auditShare of the corpus has, or auditBytes where that is more.
	auditShare = 64
	auditBytes = 96 << 10
	// editedShare is how many texts have one that is edited.
	editedShare = 128
	// mostEdited bounds the texts that are edited; each is once by each kind.
	mostEdited = 400
)

// auditor measures a run. All its methods may be called on nil, which is what
// a run that is not audited has. meet is for one goroutine.
type auditor struct {
	*Audit
	budget   int64
	out      Audited
	expected []expected
	keys     []auditKey // by key
	at       int        // in keys, while postings go by
	pairing  Pairing
	differs  differences
	nearest  []auditItem // near pairs of least similarity
	variants []auditItem // of the highest

	bound   atomic.Uint64 // refused pairs of lower hashes are sampled
	mu      sync.Mutex
	refused []refusal // by hash
	fresh   []refusal // since they were asked for
}

// expected is a pair of texts that are near and so should meet under a key:
// target as it stands among the postings, the other with the record at hand.
type expected struct {
	target position
	own    Posting // its key is set when the pair meets
	role   Role    // that the target needs
	found  *int
	done   bool
}

type auditKey struct {
	key  uint64
	pair int32
}

// newAuditor prepares an audit of what was read; nil where none is wanted.
func (j *job) newAuditor(ctx context.Context, r *records) (*auditor, error) {
	if j.cfg.Audit == nil || r.texts.Len() < 2 {
		return nil, nil
	}
	begun := time.Now()
	a := &auditor{Audit: j.cfg.Audit, budget: max(j.sum.TextBytes/auditShare, auditBytes), pairing: Pairing{Method: r.method}}
	a.bound.Store(^uint64(0))
	if err := a.edit(ctx, j, r); err != nil {
		return nil, err
	}
	if err := a.brute(ctx, j, r); err != nil {
		return nil, err
	}
	slices.SortFunc(a.keys, func(x, y auditKey) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.pair, y.pair)) })
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
func (a *auditor) edit(ctx context.Context, j *job, r *records) error {
	kinds := edits.Kinds()
	n := r.texts.Len()
	rng := rand.New(rand.NewPCG(auditSeed, uint64(n)))
	var chosen []int
	budget := a.budget
	for _, p := range draw(rng, min(mostEdited, max(n/editedShare, 25)), n) {
		row, err := r.texts.Get(position(p))
		if err != nil {
			return err
		}
		if size := int64(row.len) * int64(len(kinds)); row.len > 0 && size <= budget {
			budget -= size
			chosen = append(chosen, p)
		}
	}
	all := make([]edited, len(chosen))
	err := parallel(ctx, j.cfg.Workers, len(chosen), func() struct{} { return struct{}{} }, func(_ struct{}, i int) error {
		other, err := r.text(position(chosen[(i+1)%len(chosen)]))
		if err != nil {
			return err
		}
		clean, err := r.text(position(chosen[i]))
		if err == nil && !neardup.Blank(clean) {
			all[i] = editText(r.method, j.cfg.Clean, clean, other, rand.New(rand.NewPCG(auditSeed, uint64(i))))
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
		a.expectEdits(position(chosen[i]), Ordinal(n+i), &all[i])
	}
	return nil
}

// editText makes the edits of a text that is not equal to any of them.
func editText(m neardup.Method, cleaner neardup.Cleaner, clean, other string, rng *rand.Rand) (e edited) {
	view := m.View(clean)
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
		if !Verify(m, Text{clean, view}, Text{made, m.View(made)}).Near {
			continue
		}
		t := editedText{kind: k}
		m.Record(made, &t.rec)
		e.near = append(e.near, t)
	}
	return e
}

func (a *auditor) expectEdits(target position, own Ordinal, e *edited) {
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
		a.expect(target, own, &e.near[i].rec, Indexed, &f.Found)
	}
}

// expect notes that a text with a record should meet the target, whose role is
// the other's opposite.
func (a *auditor) expect(target position, own Ordinal, rec *neardup.Record, role Role, found *int) {
	keys, ownRole := rec.Probes(), Probing
	if role == Probing {
		keys, ownRole = rec.Index, Indexed
	}
	pair := int32(len(a.expected))
	a.expected = append(a.expected, expected{target: target, own: NewPosting(0, rec.Sketch, own, ownRole), role: role, found: found})
	for _, k := range keys {
		a.keys = append(a.keys, auditKey{k, pair})
	}
}

// meet takes the next posting, in the order of keys: a pair that should meet
// and does is put through the same pairing as any bucket.
func (a *auditor) meet(p Posting) {
	if a == nil {
		return
	}
	for a.at < len(a.keys) && a.keys[a.at].key < p.Key() {
		a.at++
	}
	for i := a.at; i < len(a.keys) && a.keys[i].key == p.Key(); i++ {
		e := &a.expected[a.keys[i].pair]
		if e.done || Ordinal(e.target) != p.Text() || p.Role()&e.role == 0 {
			continue
		}
		bucket := []Posting{NewPosting(p.Key(), p.Sketch(), p.Text(), e.role), e.own}
		bucket[1][0] = p.Key()
		a.pairing.Bucket(bucket, func(Candidate) bool {
			e.done = true
			*e.found++
			return false
		})
	}
}
