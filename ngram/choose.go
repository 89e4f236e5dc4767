package ngram

import (
	"slices"
	"sync"

	"github.com/neardup/neardup/feature"
)

type scratch struct {
	runes  []rune
	hashes []uint64
	ranks  []uint64
	levels []uint64
	sorted []uint64
	chosen []uint64
	costs  []int64
	best   []int64
	took   []uint8
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// decode fills s.runes with the runes of a text.
func (s *scratch) decode(text string) []rune {
	s.runes = s.runes[:0]
	for _, r := range text {
		s.runes = append(s.runes, r)
	}
	return s.runes
}

// grams fills s.hashes with a hash for each substring of 1 to q runes. s.hashes[i*q+size-1] is that of the substring of
// size runes which ends at rune i. If it would begin before the text, the hash is 0 and is ignored.
func (s *scratch) grams(runes []rune, q int, seed uint64) {
	s.hashes = grow(s.hashes, len(runes)*q)
	for i := range runes {
		h := seed
		for size := 1; size <= q; size++ {
			if size > i+1 {
				s.hashes[i*q+size-1] = 0
				continue
			}
			h = (h ^ uint64(uint32(runes[i-size+1]))) * 0xff51afd7ed558ccd
			h ^= h >> 32
			s.hashes[i*q+size-1] = feature.Mix(h + uint64(size))
		}
	}
}

// rank fills s.sorted with the ranks of hashes, from rare to frequent.
func (s *scratch) rank(hashes []uint64, table *rarityTable) {
	s.sorted = s.sorted[:0]
	for _, h := range hashes {
		s.sorted = append(s.sorted, table.rank(h))
	}
	slices.Sort(s.sorted)
}

// never is the rank of a gram that is left out.
const never = ^uint64(0)

// rankGrams fills s.ranks with the ranks of s.hashes, and s.sorted with the grams from rare to frequent. Grams that are
// left out have the rank never.
func (s *scratch) rankGrams(q int, table *rarityTable) {
	s.ranks = grow(s.ranks, len(s.hashes))
	s.levels = grow(s.levels, len(s.hashes))
	s.sorted = s.sorted[:0]
	for at := range s.hashes {
		size := at%q + 1
		s.ranks[at] = never
		if s.hashes[at] == 0 {
			continue
		}
		level := table.gramLevel(s.hashes[at], size)
		// It contains the gram of one rune less that ends here, and the one that ends a rune earlier. levels holds the
		// least level of each gram and all grams inside it.
		s.levels[at] = level
		if size > 1 {
			inside := min(s.levels[at-1], s.levels[at-1-q])
			s.levels[at] = min(level, inside)
			if level >= inside {
				continue
			}
		}
		s.ranks[at] = rankOf(level, s.hashes[at])
		s.sorted = append(s.sorted, s.ranks[at])
	}
	slices.Sort(s.sorted)
}

// disjoint returns the end of the shortest prefix of s.sorted that includes need disjoint grams, or of all grams if there
// is none. O(n log n) for n grams.
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
	for low < len(s.sorted) && low > 0 && s.sorted[low] == s.sorted[low-1] {
		low++
	}
	return low
}

// holds reports whether there are need disjoint grams of at most this rank. It always takes the gram that ends first, which
// is optimal for intervals.
func (s *scratch) holds(most uint64, q, need int) bool {
	free := 0 // first rune after the grams taken
	for i := 0; i*q < len(s.ranks); i++ {
		for size := 1; size <= min(q, i+1-free); size++ {
			if s.ranks[i*q+size-1] <= most {
				free = i + 1
				need--
				if need == 0 {
					return true
				}
				break
			}
		}
	}
	return false
}

// Tags in the low byte of a key distinguish keys of different purposes. The prefix of grams of up to q runes has tag q.
const (
	tagShared  = 0x40 // features of a symmetric set similarity
	tagSmaller = 0x41 // containment: index keys of a text as the smaller set
	tagLarger  = 0x42 // containment: index keys of a text as the larger set
	tagAny     = 0x43 // substrings for Keys = Any
)

// keyOf returns the key of a rank, from 56 bits of the rank and the tag.
func keyOf(rank uint64, tag uint8) uint64 { return rank<<8 | uint64(tag) }

// appendKeys appends the keys of a sorted prefix, without repetitions.
func appendKeys(dst, sorted []uint64, tag uint8) []uint64 {
	for i, r := range sorted {
		if i == 0 || r != sorted[i-1] {
			dst = append(dst, keyOf(r, tag))
		}
	}
	return dst
}
