package methods

import (
	"sync"

	"github.com/neardup/neardup/feature"
)

// sets makes the sets of shingles that views keep. Each set takes only the memory that it needs. It reuses its buffers.
type sets struct {
	hashes []uint64
	sorter feature.Sorter
}

var idleSets = sync.Pool{New: func() any { return new(sets) }}

// setOf returns the set of a text's shingles, and their number including repetitions.
func setOf(shingle feature.Shingle, text string, seed uint64) (set []uint64, count int) {
	s := idleSets.Get().(*sets)
	defer idleSets.Put(s)
	s.hashes = shingle.Append(s.hashes[:0], text, seed)
	of := s.sorter.Set(s.hashes)
	set = make([]uint64, len(of))
	copy(set, of)
	return set, len(s.hashes)
}
