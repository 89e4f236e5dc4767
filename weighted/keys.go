package weighted

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/neardup/neardup/token"
)

// If two texts are similar at t, their common words weigh at least t times either text. Sort the words of a text, the
// heaviest first. Weights are fixed, so the common words of two texts have the same order in both. The first few common
// words are a key: as many as together weigh keyWeight, but at most mostKeyed. A key of that weight is rare in any corpus,
// whether it consists of two names or of four plain words.
//
// A text cannot know which words it shares with another. So its keys are all sets of words that may be the first common
// ones. The words that such a set leaves out weigh at most 1-t of the text, which is what the other text may lack. If all
// common words together weigh less than keyWeight, they weigh at least t times the text, and form a key as well. So no pair
// of texts is lost.
//
// A long text has many such sets, and near texts share a good part of them. So if there are more than wantKeys, a sample is
// enough: the sets with a hash below a bound, which falls as their number grows. Near texts have about the same number of
// sets, and so about the same bound. In the same way, only keyedWords words of a text are used. bench/recall measures the
// resulting loss.
const (
	keyWeight = 16 * token.Unit
	mostKeyed = 4
	wantKeys  = 32

	// Limits for the work on a text, to some thousand sets: the number of words, and of sets of one size that are extended.
	keyedWords = 64
	keyedSets  = 96
)

// keyedSet is a set of words that is not a key yet.
type keyedSet struct {
	hash   uint64
	weight uint64
	next   int // the first word that may be added
}

// keyer makes the keys of sets of words, one after the other.
type keyer struct {
	words []token.Word // the heaviest first
	rest  []uint64     // for each word: the total weight of it and all words after it
	least uint64       // least weight of the common words
	found []uint64     // keys so far, before mixing

	sets, larger []keyedSet
}

// appendKeys appends the keys of a set of words. It sorts the set.
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
			keys = append(keys, mix(key)) // mixed again, to use all values
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// portion returns the bound below which about want of n hashes lie.
func portion(want, n int) uint64 {
	if n <= want {
		return ^uint64(0)
	}
	return ^uint64(0) / uint64(n) * uint64(want)
}

// sample returns about keyedWords words, those with the lowest hashes.
func sample(words []token.Word) []token.Word {
	bound := portion(keyedWords, len(words))
	kept := words[:0]
	for i := range words {
		if mix(words[i].Hash) <= bound {
			kept = append(kept, words[i])
		}
	}
	if len(kept) == 0 { // improbable: a long text without low hashes
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

// extend extends the sets of the previous size by one word each. It adds sets that are keys to found, and keeps the others.
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

// leastPart returns the least weight that reaches the threshold for total.
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

// Parts of a sketch, below the two bits for other uses: the weight of the text in units of 1/4, and a map of its words.
const (
	weightShift = 49
	sketchUnit  = token.Unit / 4
	mostSketch  = 1<<13 - 1
	mapBits     = 1<<weightShift - 1
)

// regions divide the map by weight. A word has one bit in the region of its weight, selected by its hash. Regions are
// narrow, so a bit nearly determines the weight. Their sizes suit texts of both tables.
var regions = [...]struct {
	least uint8 // least weight of the region, in sketch units
	bits  uint8
}{{4, 2}, {6, 3}, {8, 3}, {10, 4}, {12, 4}, {14, 4}, {17, 4}, {20, 4}, {23, 5}, {26, 4}, {29, 3}, {32, 3}, {36, 3}, {41, 3}}

// bitRange is the range of bits for words of a weight.
type bitRange struct{ from, bits uint8 }

// bitRanges holds the range of each weight, and bitWeights the weight of each bit, in sketch units.
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

// mappedWeight returns the least weight, in sketch units, of words with the bits of a map.
func mappedWeight(m uint64) int64 {
	sum := int64(0)
	for m &= mapBits; m != 0; m &= m - 1 {
		sum += int64(bitWeights[bits.TrailingZeros64(m)&63])
	}
	return sum
}

// Plausible bounds the common weight of two texts. It is at most the weight of either text, less the words that only that
// text has. Each bit that the other text lacks is such a word. It takes 10 ns.
func (m *Method) Plausible(a, b uint64) bool {
	x, y := int64(a>>weightShift&mostSketch), int64(b>>weightShift&mostSketch)
	if x == mostSketch || y == mostSketch {
		return true
	}
	most := min(x+1-mappedWeight(a&^b), y+1-mappedWeight(b&^a))
	// Weights were rounded down. The common weight is at most most.
	return most > 0 && float64(most)/float64(x+y-most) >= m.threshold*(1-1e-9)
}
