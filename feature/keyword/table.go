package keyword

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/internal/intlog"
)

// Unit is the number of units in an IDF of 1, because an IDF is stored as an integer. Eleven decimals represent the values
// of jieba's table exactly.
const Unit = 100_000_000_000

// IDFTable is an IDF table in memory. It takes about 27 bytes per word. It never changes and is safe for concurrent use.
type IDFTable struct {
	words   string   // all words, one after the other
	ends    []uint32 // end of each word in words
	idf     []int64
	slots   []uint32 // open addressing by xxh3: bits of the hash, and the number of the word from 1; 0 is free
	number  uint     // bits of a slot that hold the number
	unknown int64
	most    int64
	digest  string
}

// ReadIDFTable reads a table file and verifies its digest. Words that are not in the table get the median of its values.
func ReadIDFTable(r io.Reader) (*IDFTable, error) {
	in, err := openTable(r)
	if err != nil {
		return nil, fmt.Errorf("read idf table: %w", err)
	}
	t := &IDFTable{}
	var words []byte
	for {
		word, value, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read idf table: %w", err)
		}
		if uint64(len(words)+len(word)) > math.MaxUint32 {
			return nil, errors.New("read idf table: more than 4 GiB of words")
		}
		words = append(words, word...)
		t.ends = append(t.ends, uint32(len(words)))
		if in.head.kind == kindCounts {
			value = idfOf(in.head.documents, value)
		}
		t.idf = append(t.idf, value)
	}
	t.words, t.digest = string(words), in.digest
	t.ends, t.idf = slices.Clone(t.ends), slices.Clone(t.idf)
	t.unknown = median(t.idf)
	t.index()
	return t, nil
}

// idfOf returns ln(documents/(1+with)) in units of 1/Unit, rounded down, at least 0.
func idfOf(documents, with int64) int64 {
	ln := intlog.Ln(uint64(documents)) - intlog.Ln(uint64(with)+1)
	if ln <= 0 {
		return 0
	}
	// Split ln < 64*2^48, in units of 2^-48, so that no product overflows.
	whole, part := ln>>intlog.Bits, ln&(1<<intlog.Bits-1)
	return whole*Unit + (part>>(intlog.Bits-24)*Unit+(part&(1<<24-1))*Unit>>24)>>24
}

// median returns the median as jieba computes it: the upper of the two middle values.
func median(values []int64) int64 {
	if len(values) == 0 {
		return Unit
	}
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare[int64])
	return sorted[len(sorted)/2]
}

func (t *IDFTable) index() {
	t.slots = make([]uint32, len(t.ends)*3/2+1)
	t.number = uint(bits.Len(uint(len(t.ends))))
	t.most = t.unknown
	for i := range t.ends {
		hash := xxh3.HashString(t.word(i))
		at := t.home(hash)
		for t.slots[at] != 0 {
			at = t.after(at)
		}
		t.slots[at] = t.tag(hash) | uint32(i+1)
		t.most = max(t.most, t.idf[i])
	}
}

// home returns the slot where the search for a hash begins.
func (t *IDFTable) home(hash uint64) uint64 {
	at, _ := bits.Mul64(hash, uint64(len(t.slots)))
	return at
}

func (t *IDFTable) after(at uint64) uint64 {
	at++
	if at == uint64(len(t.slots)) {
		return 0
	}
	return at
}

// tag returns the bits of a hash that fit a slot. They rule out most other words without reading them.
func (t *IDFTable) tag(hash uint64) uint32 { return uint32(hash) << t.number }

// tagged finds the first word with the tag of a hash, starting at a slot. It returns the word's number, or 0.
func (t *IDFTable) tagged(at, hash uint64) (number uint32, found uint64) {
	mask, tag := uint32(1)<<t.number-1, t.tag(hash)
	for t.slots[at] != 0 && t.slots[at]&^mask != tag {
		at = t.after(at)
	}
	return t.slots[at] & mask, at
}

func (t *IDFTable) word(i int) string {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.words[from:t.ends[i]]
}

// Find returns the IDF of a word in units of 1/Unit, and whether the table has
// the word.
func (t *IDFTable) Find(word string) (idf int64, ok bool) {
	hash := xxh3.HashString(word)
	number, at := t.tagged(t.home(hash), hash)
	for ; number != 0; number, at = t.tagged(t.after(at), hash) {
		if t.word(int(number-1)) == word {
			return t.idf[number-1], true
		}
	}
	return t.unknown, false
}

// look looks up several words together, so that their memory accesses overlap.
func (t *IDFTable) look(words []counted) {
	for i := range words {
		words[i].at, _ = t.tagged(t.home(words[i].hash), words[i].hash)
	}
	for i := range words {
		w := &words[i]
		switch {
		case w.at == 0:
			w.idf = t.unknown
		case t.word(int(w.at-1)) == w.word:
			w.idf = t.idf[w.at-1]
		default: // another word has the same tag
			w.idf = t.IDF(w.word)
		}
	}
}

// IDF returns the IDF of a word, or the median for an unknown word. It takes about 50 ns.
func (t *IDFTable) IDF(word string) int64 {
	idf, _ := t.Find(word)
	return idf
}

// Most returns the greatest IDF of a word.
func (t *IDFTable) Most() int64 { return t.most }

// Digest returns 32 hex digits that identify the contents of the table.
func (t *IDFTable) Digest() string { return t.digest }

// Len returns the number of words.
func (t *IDFTable) Len() int { return len(t.ends) }
