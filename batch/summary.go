package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/text"
)

var errManyNames = errors.New("batch: the method gives more than 256 kinds of basis")

// Summary says what a run has read, decided and done.
type Summary struct {
	Method    string `json:"method"`    // the spec: name, version, parameters
	Documents int64  `json:"documents"` // accepted
	Rejected  int64  `json:"rejected"`
	Kept      int64  `json:"kept,omitempty"`
	Removed   int64  `json:"removed,omitempty"`
	Pairs     int64  `json:"pairs,omitempty"` // found by Pairs
	Texts     int64  `json:"texts"`           // distinct clean texts
	Equal     int64  `json:"equal"`           // documents whose clean text had been seen
	TextBytes int64  `json:"textBytes"`       // of the distinct clean texts
	// SharedIDs counts documents whose id an earlier one has; SharedID is
	// the first such id.
	SharedIDs int64  `json:"sharedIds,omitempty"`
	SharedID  string `json:"sharedId,omitempty"`

	Buckets       int64 `json:"buckets"`       // keys of at least two texts
	LargestBucket int64 `json:"largestBucket"` // texts
	Work          Work  `json:"work"`
	Stretches     int   `json:"stretches"` // how often the leaders were divided to fit the memory

	// TemporaryBytes were written to temporary files.
	TemporaryBytes int64 `json:"temporaryBytes"`

	Clusters int64     `json:"clusters,omitempty"` // leaders with duplicates, or components of several
	Largest  []Cluster `json:"largest,omitempty"`

	ReadTime time.Duration `json:"readNanoseconds"`
	Time     time.Duration `json:"nanoseconds"`
	// Digest stands for all decisions; see ResultDigest.
	Digest string `json:"digest,omitempty"`
}

// Cluster is a leader with its duplicates.
type Cluster struct {
	Leader string `json:"leader"`
	Size   int    `json:"size"` // documents, the leader counted
	// Opening is how the leader's clean text begins, Shared the longest
	// stretch of it that its members (some of them) have too.
	Opening string `json:"opening"`
	Shared  string `json:"shared,omitempty"`
	// Weakest is, of a connected component, the link of least similarity
	// among those that hold it together.
	Weakest *Pair `json:"weakest,omitempty"`
}

func (r *run) summary() *Summary {
	r.sum.Time = time.Since(r.begun)
	r.sum.TemporaryBytes = r.disk.written.Load()
	return &r.sum
}

// opening returns the first 60 runes.
func opening(s string) string {
	n := 0
	for i := range s {
		if n == 60 {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

// head returns the first sharedRunes runes.
func head(s string) string {
	n := 0
	for i := range s {
		if n == sharedRunes {
			return s[:i]
		}
		n++
	}
	return s
}

// alphanumerics returns the part of s from its from-th to its to-th
// alphanumeric rune.
func alphanumerics(s string, from, to int) string {
	n, start := 0, -1
	for i, r := range s {
		if !text.IsAlnum(r) {
			continue
		}
		if n == from {
			start = i
		}
		if n == to {
			return strings.TrimSpace(s[start:i])
		}
		n++
	}
	return strings.TrimSpace(s[max(start, 0):])
}

// ResultDigest is a digest of a set of decisions: the sum modulo 2^256 of the
// SHA-256 of each one's id, decision, leader and similarity. A sum, so that
// neither the order nor the division of the work over workers or machines
// changes it, and parts can be added up.
type ResultDigest struct{ sum [4]uint64 }

// NewResultDigest returns the digest of no decisions.
func NewResultDigest() *ResultDigest { return &ResultDigest{} }

// Add adds one decision.
func (d *ResultDigest) Add(o neardup.Decision) {
	b := make([]byte, 0, 128)
	for _, s := range []string{o.ID, string(o.Decision), o.Leader} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(o.Similarity))
	h := sha256.Sum256(b)
	var carry uint64
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.LittleEndian.Uint64(h[8*i:]), carry)
	}
}

// String returns the digest as 64 hex digits.
func (d *ResultDigest) String() string {
	var b [32]byte
	for i, w := range d.sum {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
	return hex.EncodeToString(b[:])
}
