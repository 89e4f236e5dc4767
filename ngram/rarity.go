package ngram

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// Table says how rare features are: for each of 2^21 hash slots a count,
// rounded down to one of 256 levels. Features that share a slot share their
// count, which costs work and never a pair. Two stores can be searched with
// each other's keys only if they use the same table: compare [Table.Digest].
//
// A table is immutable and safe for concurrent use. The nil table knows
// nothing: every feature is equally rare, and keys are chosen by hash.
type Table struct {
	levels []uint8
	digest string
}

// tableBits makes a table of 2 MiB: it stays in the second-level cache while
// keys are chosen, and a million texts of ten features fill its slots with a
// few features each, of which the frequent one decides.
const tableBits = 21

const tableSize = 1 << tableBits

// tableMagic starts a stored table and names the version of its format.
const tableMagic = "neardup rarity 1\n"

// ErrTable is wrapped by every error about a stored table.
var ErrTable = errors.New("not a rarity table")

func newTable(levels []uint8) *Table {
	sum := xxh3.Hash128(levels).Bytes()
	return &Table{levels: levels, digest: hex.EncodeToString(sum[:])}
}

// Digest names the table by its contents, 32 hex digits; "none" for nil.
func (t *Table) Digest() string {
	if t == nil {
		return "none"
	}
	return t.digest
}

// level returns how frequent a feature is, 0 (rarest) to 255. The order is
// total only together with the hash.
func (t *Table) level(hash uint64) uint64 {
	if t == nil {
		return 0
	}
	return uint64(t.levels[hash>>(64-tableBits)])
}

// gramLevel is level for a gram of 1..longestGram runes. Without a table a
// longer gram counts as rarer.
func (t *Table) gramLevel(hash uint64, size int) uint64 {
	if t == nil {
		return uint64(longestGram - size)
	}
	return t.level(hash)
}

// rank orders features from rare to frequent.
func (t *Table) rank(hash uint64) uint64 { return rankOf(t.level(hash), hash) }

// rankOf puts the level first, then 56 bits of the hash. A rank stands for its
// feature from then on: two features with the same rank are one as keys.
func rankOf(level, hash uint64) uint64 { return level<<56 | hash>>8 }

// WriteTo stores the table: 2 MiB.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	if t == nil {
		return 0, fmt.Errorf("write rarity table: %w: it is empty", ErrTable)
	}
	var b bytes.Buffer
	b.WriteString(tableMagic)
	b.WriteString(t.digest)
	b.Write(t.levels)
	return b.WriteTo(w)
}

// ReadTable reads what WriteTo wrote and checks its digest. Errors wrap
// ErrTable or are the reader's.
func ReadTable(r io.Reader) (*Table, error) {
	stored := make([]byte, len(tableMagic)+32+tableSize)
	if _, err := io.ReadFull(r, stored); err != nil {
		return nil, fmt.Errorf("read rarity table: %w", err)
	}
	rest, ok := bytes.CutPrefix(stored, []byte(tableMagic))
	if !ok {
		return nil, fmt.Errorf("read rarity table: %w: it does not start with %q", ErrTable, tableMagic)
	}
	t := newTable(rest[32:])
	if t.digest != string(rest[:32]) {
		return nil, fmt.Errorf("read rarity table: %w: contents have digest %s, not %q", ErrTable, t.digest, rest[:32])
	}
	return t, nil
}

// counts is what a table is made from.
type counts struct{ slots []atomic.Uint32 }

func newCounts() *counts { return &counts{make([]atomic.Uint32, tableSize)} }

func (c *counts) add(hash uint64) { c.slots[hash>>(64-tableBits)].Add(1) }

func (c *counts) table() *Table {
	levels := make([]uint8, tableSize)
	for i := range c.slots {
		levels[i] = quantise(c.slots[i].Load())
	}
	return newTable(levels)
}

// quantise keeps the three bits after the leading one: 0..15 are exact, above
// that a level spans an eighth.
func quantise(n uint32) uint8 {
	if n < 16 {
		return uint8(n)
	}
	exponent := bits.Len32(n) - 4
	return uint8(exponent<<3 + int(n>>exponent))
}
