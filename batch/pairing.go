package batch

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup"
)

// Ordinal is the index of a document, or of a distinct text, in the order of decisions.
type Ordinal uint64

// Role is the part that a text plays under a key: it searches, can be found, or both. A candidate with neither role is a
// text instead of a bucket.
type Role uint64

// A posting has at least one of these roles.
const (
	Indexed Role = 1 << iota
	Probing
	roleBits = Indexed | Probing
	roleLen  = 2
)

// Posting is a text under one of its keys, with its sketch. It holds all that pairing a bucket needs. Ordinals must be
// below 2^62.
type Posting [3]uint64

// NewPosting returns the posting of a text under a key.
func NewPosting(key, sketch uint64, text Ordinal, role Role) Posting {
	return Posting{key, sketch, uint64(text)<<roleLen | uint64(role)}
}

// Key returns the key that the texts of a bucket share.
func (p Posting) Key() uint64 { return p[0] }

// Sketch returns the sketch of the text's record.
func (p Posting) Sketch() uint64 { return p[1] }

// Text returns the ordinal of the text.
func (p Posting) Text() Ordinal { return Ordinal(p[2] >> roleLen) }

// Role returns the role of the text under the key.
func (p Posting) Role() Role { return Role(p[2]) & roleBits }

// AppendPostings appends one posting of a text for each key of its record.
func AppendPostings(dst []Posting, rec *neardup.Record, text Ordinal) []Posting {
	role := Indexed | Probing
	if rec.Probe != nil {
		role = Indexed
		for _, k := range rec.Probe {
			dst = append(dst, NewPosting(k, rec.Sketch, text, Probing))
		}
	}
	for _, k := range rec.Index {
		dst = append(dst, NewPosting(k, rec.Sketch, text, role))
	}
	return dst
}

// Candidate is a pair of texts that may be near: the later one searches, the
// earlier one is found.
type Candidate struct{ Later, Earlier Ordinal }

// Pairing is the second stage, which turns a bucket into candidates. The pairs of a bucket depend on its postings alone. It
// is not safe for concurrent use.
type Pairing struct {
	Method neardup.Method
	// Met counts the pairs of texts that share a key.
	Met int64

	// The postings of the current bucket that can be found, so far.
	sketches []uint64
	texts    []Ordinal
}

// Bucket calls found for each pair of texts of a bucket whose sketches do not rule it out. A bucket holds the
// postings of one key. If found returns false, it stops and returns false. It sorts the bucket. O(n^2) for n
// postings, 2 ns each.
func (w *Pairing) Bucket(bucket []Posting, found func(Candidate) bool) bool {
	slices.SortFunc(bucket, func(a, b Posting) int { return cmp.Compare(a.Text(), b.Text()) })
	w.sketches, w.texts = w.sketches[:0], w.texts[:0]
	for _, p := range bucket {
		if p.Role()&Probing != 0 && !w.search(p, found) {
			return false
		}
		if p.Role()&Indexed != 0 {
			w.sketches, w.texts = append(w.sketches, p.Sketch()), append(w.texts, p.Text())
		}
	}
	return true
}

// search pairs a posting with the earlier ones of its bucket.
func (w *Pairing) search(p Posting, found func(Candidate) bool) bool {
	sketch, n := p.Sketch(), len(w.texts)
	for n > 0 && w.texts[n-1] == p.Text() {
		n--
	}
	w.Met += int64(n)
	for i, other := range w.sketches[:n] {
		// Equal texts have equal sketches, and no method compares them.
		if sketch == other || w.Method.Plausible(sketch, other) {
			if !found(Candidate{p.Text(), w.texts[i]}) {
				return false
			}
		}
	}
	return true
}
