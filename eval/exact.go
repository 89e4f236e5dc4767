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
	index := newPostings(sets)
	common := make([]int32, len(sets)) // elements shared with each earlier set
	var touched []int32
	var pairs []Pair
	for b, set := range sets {
		touched = touched[:0]
		for _, element := range set {
			for _, a := range index.add(element, int32(b)) {
				if common[a] == 0 {
					touched = append(touched, a)
				}
				common[a]++
			}
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

// postings lists for each element the sets that have it: an open-addressing
// table of elements, and one array that holds the lists one after the other.
type postings struct {
	element []uint64
	size    []int32 // of the list in the end; 0 for an empty slot
	start   []int   // of the list
	filled  []int32 // how much of the list is there already
	sets    []int32
}

func newPostings(sets [][]uint64) *postings {
	total := 0
	for _, set := range sets {
		total += len(set)
	}
	slots := 1
	for slots < total*3/2+1 {
		slots *= 2
	}
	p := &postings{
		element: make([]uint64, slots), size: make([]int32, slots),
		start: make([]int, slots), filled: make([]int32, slots), sets: make([]int32, total),
	}
	for _, set := range sets {
		for _, element := range set {
			slot := p.slot(element)
			p.element[slot] = element
			p.size[slot]++
		}
	}
	end := 0
	for slot, size := range p.size {
		p.start[slot] = end
		end += int(size)
	}
	return p
}

// slot returns where the element is or belongs.
func (p *postings) slot(element uint64) int {
	mask := len(p.element) - 1
	slot := int(element*0x9e3779b97f4a7c15>>1) & mask
	for p.size[slot] > 0 && p.element[slot] != element {
		slot = (slot + 1) & mask
	}
	return slot
}

// add appends a set to the element's list and returns those before it.
func (p *postings) add(element uint64, set int32) []int32 {
	slot := p.slot(element)
	list := p.sets[p.start[slot]:][:p.size[slot]]
	earlier := p.filled[slot]
	list[earlier] = set
	p.filled[slot]++
	return list[:earlier]
}
