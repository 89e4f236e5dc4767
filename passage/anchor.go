package passage

import "math/bits"

// An anchor is the place in a text that stands for all windows (passages of the
// least length) next to it: the gram (k units) of the smallest hash in each of
// them, the last one where hashes are equal. It depends on the window alone, so
// two equal windows have the same one at the same place: a minimizer (Roberts
// et al. 2004), as in winnowing (Schleimer et al. 2003). Every window has one
// anchor.
type anchor struct {
	key uint64 // of the hash
	at  int    // where the gram begins
	// The windows it stands for follow each other, from the one that begins
	// at lo to the one that ends at hi.
	lo, hi int
}

// sampler finds the anchors of texts. One goroutine at a time.
type sampler struct {
	least Length
	gram  int    // units
	out   uint64 // what a unit counts that leaves the rolling hash

	// The last units, each at its number & mask.
	mask  int
	units []sampled

	n       int // units of the text so far
	rolling uint64
	lowest  int    // the gram of the smallest hash, by its first unit
	low     uint64 // that hash
	open    bool   // now is an anchor whose windows go on
	now     anchor
	found   func(anchor)
}

type sampled struct {
	start, end int
	hash       uint64 // of the unit
	gram       uint64 // of the gram that begins here
}

// base is that of the rolling hash, a polynomial over the hashes of units mod 2^64.
const base = 0x9E3779B97F4A7C15

func newSampler(least Length) *sampler {
	s := &sampler{least: least, gram: max(least.N/3, 1), out: 1}
	for range s.gram {
		s.out *= base
	}
	size := 1 << bits.Len(uint(least.N))
	s.mask, s.units = size-1, make([]sampled, size)
	return s
}

// anchors calls found for each anchor of a text, in order.
func (s *sampler) anchors(text string, found func(anchor)) {
	s.n, s.rolling, s.open, s.found = 0, 0, false, found
	s.least.Unit.each(text, s.add)
	if s.open {
		found(s.now)
	}
}

// add takes the next unit, with which a gram may end and a window.
func (s *sampler) add(start, end int, hash uint64) {
	s.rolling = s.rolling*base + hash
	if s.n >= s.gram {
		s.rolling -= s.units[(s.n-s.gram)&s.mask].hash * s.out
	}
	u := &s.units[s.n&s.mask]
	u.start, u.end, u.hash = start, end, hash
	s.n++
	gram := s.n - s.gram
	if gram < 0 {
		return
	}
	h := mixed(s.rolling)
	s.units[gram&s.mask].gram = h
	if gram == 0 || h <= s.low {
		s.lowest, s.low = gram, h
	}
	if window := s.n - s.least.N; window >= 0 {
		s.window(window, end)
	}
}

// window takes the window that begins with a unit and ends at a byte.
func (s *sampler) window(first, end int) {
	if s.lowest < first {
		s.lowest, s.low = first, s.units[first&s.mask].gram
		for g := first + 1; g <= s.n-s.gram; g++ {
			if h := s.units[g&s.mask].gram; h <= s.low {
				s.lowest, s.low = g, h
			}
		}
	}
	at := s.units[s.lowest&s.mask].start
	if s.open && s.now.at == at {
		s.now.hi = end
		return
	}
	if s.open {
		s.found(s.now)
	}
	// The smallest of many hashes are small; a key is spread over all 64 bits again.
	s.open, s.now = true, anchor{key: mixed(s.low), at: at, lo: s.units[first&s.mask].start, hi: end}
}

// mixed makes every bit depend on all of h.
func mixed(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
	return hi ^ lo
}
