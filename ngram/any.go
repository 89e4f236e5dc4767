package ngram

import "github.com/neardup/neardup/feature"

// anyKeys appends the keys of a plain inverted index: all substrings of M units, or the whole text if it is shorter.
func (s *settings) anyKeys(dst []uint64, text string, w *scratch) []uint64 {
	w.hashes = feature.Set(s.M.Append(w.hashes[:0], text, s.Seed))
	w.rank(w.hashes, nil)
	return appendKeys(dst, w.sorted, tagAny)
}
