package eval

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup/feature"
)

// Pair is two documents by their place in the input, A < B.
type Pair struct {
	A, B       int
	Similarity float64 // Jaccard
}

// Exact returns every pair of clean texts whose sets of shingles have a Jaccard
// similarity >= least, least > 0, by A and then B. A text without a shingle is
// in no pair. It is the oracle of tests: nothing is skipped or estimated but
// that a shingle stands for its 64-bit hash. Time: the sum over all shingles of
// the square of how many texts have it.
func Exact(texts []string, shingle feature.Shingle, least float64) []Pair {
	sets := make([][]uint64, len(texts))
	for i, text := range texts {
		sets[i] = feature.Set(shingle.Append(nil, text, 0))
	}
	return ExactSets(sets, least)
}

// ExactSets is Exact for sets that the caller made; each without repeats.
func ExactSets(sets [][]uint64, least float64) []Pair {
	having := make(map[uint64][]int32) // shingle -> earlier documents with it
	common := make([]int32, len(sets)) // shingles shared with each earlier document
	var touched []int32
	var pairs []Pair
	for b, set := range sets {
		touched = touched[:0]
		for _, shingle := range set {
			for _, a := range having[shingle] {
				if common[a] == 0 {
					touched = append(touched, a)
				}
				common[a]++
			}
			having[shingle] = append(having[shingle], int32(b))
		}
		for _, a := range touched {
			both := int(common[a])
			common[a] = 0
			similarity := float64(both) / float64(len(set)+len(sets[a])-both)
			if similarity >= least {
				pairs = append(pairs, Pair{A: int(a), B: b, Similarity: similarity})
			}
		}
	}
	slices.SortFunc(pairs, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return pairs
}
