package methods

import (
	"sync"

	"github.com/neardup/neardup/feature"
)

// sets makes the sets of shingles that views keep, each in as much memory as it needs. It reuses its working
// memory.
type sets struct {
	hashes []uint64
	sorter feature.Sorter
}

var idleSets = sync.Pool{New: func() any { return new(sets) }}

// setOf returns the set of a text's shingles, and their number with repeats.
func setOf(shingle feature.Shingle, text string, seed uint64) (set []uint64, count int) {
	s := idleSets.Get().(*sets)
	defer idleSets.Put(s)
	s.hashes = shingle.Append(s.hashes[:0], text, seed)
	of := s.sorter.Set(s.hashes)
	set = make([]uint64, len(of))
	copy(set, of)
	return set, len(s.hashes)
}
