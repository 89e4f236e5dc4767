package ngram

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// scratch is the memory of one call of Record or Add.
type scratch struct {
	runes  []rune
	hashes []uint64
	ranks  []uint64
	sorted []uint64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// decode fills s.runes, with room for marks at both ends left out.
func (s *scratch) decode(text string) []rune {
	s.runes = s.runes[:0]
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			s.runes = append(s.runes, rune(c))
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		s.runes = append(s.runes, r)
		i += width
	}
	return s.runes
}

// Marks that stand before the first and after the last rune of a text. They
// are no code points.
const (
	before rune = 0x110000
	after  rune = 0x110001
)

// grams fills s.hashes with one hash for each q-gram of the runes, q-1 marks
// on either side included: len(runes)+q-1 of them, in order.
func (s *scratch) grams(runes []rune, q int, seed uint64) []uint64 {
	s.hashes = grow(s.hashes, len(runes)+q-1)
	start := mix(seed + uint64(q)*0x9e3779b97f4a7c15)
	for i := range s.hashes {
		h := start
		for at := i - q + 1; at <= i; at++ {
			r := before
			if at >= len(runes) {
				r = after
			} else if at >= 0 {
				r = runes[at]
			}
			h = (h ^ uint64(uint32(r))) * 0xff51afd7ed558ccd
			h ^= h >> 32
		}
		s.hashes[i] = mix(h)
	}
	return s.hashes
}

// mix is the finaliser of SplitMix64: a permutation of 64 bits.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// rank fills s.ranks with the ranks of s.hashes, and s.sorted with the same
// from rare to frequent.
func (s *scratch) rank(hashes []uint64, table *Table) {
	s.ranks = s.ranks[:0]
	for _, h := range hashes {
		s.ranks = append(s.ranks, table.rank(h))
	}
	s.sorted = append(s.sorted[:0], s.ranks...)
	slices.Sort(s.sorted)
}

// disjoint returns the end of the shortest prefix of s.sorted whose grams
// include need that do not overlap; all of them where there is none.
// O(n log n) for n grams.
func (s *scratch) disjoint(q, need int) int {
	low, high := min(need, len(s.sorted)), len(s.sorted)
	for low < high {
		middle := int(uint(low+high) / 2)
		if s.holds(s.sorted[middle-1], q, need) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// holds reports whether among the grams of at most this rank there are need
// that do not overlap: taking each one that starts after the last taken one
// ends is optimal for intervals of one length.
func (s *scratch) holds(most uint64, q, need int) bool {
	for i := 0; i < len(s.ranks); i++ {
		if s.ranks[i] > most {
			continue
		}
		if need--; need == 0 {
			return true
		}
		i += q - 1
	}
	return false
}

// Tags in the low byte of a key keep the keys of different purposes apart;
// grams of q runes have tag q.
const (
	tagShared  = 0x40 // features of a symmetric set similarity
	tagSmaller = 0x41 // containment: index keys of a text as the smaller one
	tagLarger  = 0x42 // containment: index keys of a text as the larger one
	tagAny     = 0x43 // substrings of Keys = Any
)

// keyOf is the key of a rank: its 56 bits of hash and the tag.
func keyOf(rank uint64, tag uint8) uint64 { return rank<<8 | uint64(tag) }

// appendKeys adds the keys of a sorted prefix, each once.
func appendKeys(dst, sorted []uint64, tag uint8) []uint64 {
	for i, r := range sorted {
		if i == 0 || r != sorted[i-1] {
			dst = append(dst, keyOf(r, tag))
		}
	}
	return dst
}
