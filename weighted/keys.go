package weighted

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/neardup/neardup/token"
)

// Keys. If two texts are similar at t, what they share weighs at least t times either text. Order the words of
// a text, the heaviest first; weights are fixed, so that any two texts have their common words in one order.
// The first few common words are a key: as many as weigh keyWeight together, mostKeyed at most. By that weight
// a key is rare in any corpus, whether two names make it or four plain words.
//
// A text cannot know which words it shares with another. So its keys are all sets of words that may be the
// first common ones: the words passed over weigh at most what the text may lack, 1-t of it. Common words that
// are fewer, or lighter, weigh t times the text by themselves, and also form a key. No pair of texts is lost.
//
// A long text has many such sets. Near texts share a good part of them, so a sample is enough if there are more
// than wantKeys: those with a hash below a bound, which is lower the more there are. Near texts have about as
// many sets and so about the same bound. In the same way sets are made of at most keyedWords words of a text.
// bench/recall measures the resulting loss.
const (
	keyWeight = 16 * token.Unit
	mostKeyed = 4
	wantKeys  = 32

	// What bounds the work for a text to some thousand sets: its words, and
	// how many sets of a size are made larger ones of.
	keyedWords = 64
	keyedSets  = 96
)

// keyedSet is a set of words that is not a key yet.
type keyedSet struct {
	hash   uint64
	weight uint64
	next   int // the first word that may be added
}

// keyer makes the keys of one set of words after the other.
type keyer struct {
	words []token.Word // the heaviest first
	rest  []uint64     // the weight of each word and all after it
	least uint64       // what common words weigh at least
	found []uint64     // keys so far, not yet spread

	sets, larger []keyedSet
}

// appendKeys appends the keys of a set of words, and sorts the set.
func (m *Method) appendKeys(keys []uint64, k *keyer, words []token.Word) []uint64 {
	k.words, k.found = sample(words), k.found[:0]
	slices.SortFunc(k.words, func(a, b token.Word) int {
		if a.Weight != b.Weight {
			return int(b.Weight) - int(a.Weight)
		}
		return cmp.Compare(a.Hash, b.Hash)
	})
	k.sum()
	k.least = m.leastPart(k.rest[0])
	k.sets = append(k.sets[:0], keyedSet{})
	for size := 1; size <= mostKeyed; size++ {
		k.extend(size)
	}
	bound := portion(wantKeys, len(k.found))
	for _, key := range k.found {
		if key <= bound {
			keys = append(keys, mix(key)) // spread again over all values
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// portion returns the bound below which about want of n hashes are.
func portion(want, n int) uint64 {
	if n <= want {
		return ^uint64(0)
	}
	return ^uint64(0) / uint64(n) * uint64(want)
}

// sample keeps about keyedWords words, those of the lowest hashes.
func sample(words []token.Word) []token.Word {
	bound := portion(keyedWords, len(words))
	kept := words[:0]
	for i := range words {
		if mix(words[i].Hash) <= bound {
			kept = append(kept, words[i])
		}
	}
	if len(kept) == 0 { // a long text of few hashes: never seen
		return words[:1]
	}
	return kept
}

func (k *keyer) sum() {
	n := len(k.words)
	k.rest = slices.Grow(k.rest[:0], n+1)[:n+1]
	k.rest[n] = 0
	for i := n - 1; i >= 0; i-- {
		k.rest[i] = k.rest[i+1] + uint64(k.words[i].Weight)
	}
}

// extend makes the sets of a size from those with a word less. It adds the sets that are keys, and those that
// need another word.
func (k *keyer) extend(size int) {
	k.larger = k.larger[:0]
	for _, s := range k.sets {
		for i := s.next; i < len(k.words) && s.weight+k.rest[i] >= k.least; i++ {
			w := &k.words[i]
			weight, hash := s.weight+uint64(w.Weight), mix(s.hash+w.Hash)
			if weight >= keyWeight || weight >= k.least || size == mostKeyed {
				k.found = append(k.found, hash)
			}
			if weight < keyWeight {
				k.larger = append(k.larger, keyedSet{hash, weight, i + 1})
			}
		}
	}
	bound := portion(keyedSets, len(k.larger))
	k.sets = k.sets[:0]
	for _, s := range k.larger {
		if s.hash <= bound {
			k.sets = append(k.sets, s)
		}
	}
}

// mix applies the output function of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// leastPart returns the least weight that reaches the threshold of total.
func (m *Method) leastPart(total uint64) uint64 {
	least := uint64(m.threshold * float64(total))
	for least > 0 && m.reaches(least-1, total) {
		least--
	}
	for !m.reaches(least, total) {
		least++
	}
	return least
}

// Parts of a sketch: below the two bits for other uses, the weight of the text in units of 1/4, and a map of
// its words.
const (
	weightShift = 49
	sketchUnit  = token.Unit / 4
	mostSketch  = 1<<13 - 1
	mapBits     = 1<<weightShift - 1
)

// regions of the map: a word has one bit in the region of its weight, selected by its hash. Regions are narrow,
// so that a bit nearly determines the weight. Their sizes fit texts of both tables.
var regions = [...]struct {
	least uint8 // weight, in sketch units
	bits  uint8
}{{4, 2}, {6, 3}, {8, 3}, {10, 4}, {12, 4}, {14, 4}, {17, 4}, {20, 4}, {23, 5}, {26, 4}, {29, 3}, {32, 3}, {36, 3}, {41, 3}}

// bitRange is where the words of a weight have their bits.
type bitRange struct{ from, bits uint8 }

// bitRanges by weight, and the weight of each bit, in sketch units.
var bitRanges, bitWeights = layOut()

func layOut() (p [token.MostWeight/sketchUnit + 1]bitRange, w [64]uint8) {
	from := uint8(0)
	for _, r := range regions {
		for weight := int(r.least); weight < len(p); weight++ {
			p[weight] = bitRange{from, r.bits}
		}
		for i := from; i < from+r.bits; i++ {
			w[i] = r.least
		}
		from += r.bits
	}
	return p, w
}

func sketch(words []token.Word, total uint64) uint64 {
	s := min(total/sketchUnit, mostSketch) << weightShift
	for _, w := range words {
		if p := bitRanges[w.Weight/sketchUnit]; p.bits > 0 {
			s |= 1 << (uint64(p.from) + w.Hash>>32*uint64(p.bits)>>32)
		}
	}
	return s
}

// mappedWeight returns the least weight of words that have the bits of a map, in sketch units.
func mappedWeight(m uint64) int64 {
	sum := int64(0)
	for m &= mapBits; m != 0; m &= m - 1 {
		sum += int64(bitWeights[bits.TrailingZeros64(m)&63])
	}
	return sum
}

// Plausible bounds what two texts have in common: no more than either weighs
// without the words that only it has, of which each bit that the other lacks
// is one. 10 ns.
func (m *Method) Plausible(a, b uint64) bool {
	x, y := int64(a>>weightShift&mostSketch), int64(b>>weightShift&mostSketch)
	if x == mostSketch || y == mostSketch {
		return true
	}
	most := min(x+1-mappedWeight(a&^b), y+1-mappedWeight(b&^a))
	// Weights were rounded down; what is in common is not above most.
	return most > 0 && float64(most)/float64(x+y-most) >= m.threshold*(1-1e-9)
}
