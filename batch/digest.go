package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"

	"github.com/neardup/neardup"
)

// ResultDigest is a digest of a set of decisions. It is the sum modulo 2^256 of one SHA-256 for each decision, over its id,
// decision, leader and similarity. Because it is a sum, it does not depend on the order or on the division of the work over
// workers and machines, and parts can be merged.
type ResultDigest struct{ sum [4]uint64 }

// NewResultDigest returns the digest of no decisions.
func NewResultDigest() *ResultDigest { return &ResultDigest{} }

// Add adds one decision. For a variant, the hash also covers the leader that it resembles.
func (d *ResultDigest) Add(o neardup.Decision) { d.Merge(digestOf(o)) }

// subtract removes a decision that was added.
func (d *ResultDigest) subtract(o neardup.Decision) {
	var borrow uint64
	for i, w := range digestOf(o).sum {
		d.sum[i], borrow = bits.Sub64(d.sum[i], w, borrow)
	}
}

func digestOf(o neardup.Decision) *ResultDigest {
	b := make([]byte, 0, 128)
	add := func(s string) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	add(o.ID)
	add(string(o.Decision))
	add(o.Leader)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(o.Similarity))
	if o.VariantOf != "" {
		add(o.VariantOf)
	}
	h := sha256.Sum256(b)
	var part ResultDigest
	for i := range part.sum {
		part.sum[i] = binary.LittleEndian.Uint64(h[8*i:])
	}
	return &part
}

// Merge adds the decisions of another digest.
func (d *ResultDigest) Merge(o *ResultDigest) {
	var carry uint64
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], o.sum[i], carry)
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

// ParseResultDigest reads what String printed.
func ParseResultDigest(s string) (*ResultDigest, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		return nil, fmt.Errorf("batch: digest %q: invalid (want 64 hex digits)", s)
	}
	d := &ResultDigest{}
	for i := range d.sum {
		d.sum[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return d, nil
}
