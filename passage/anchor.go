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

	// The last units, and the hashes of the grams that begin with them, each at its
	// number & mask.
	mask  int
	units []sampled
	grams []uint64

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
	hash       uint64
}

// base is that of the rolling hash, a polynomial over the hashes of units mod 2^64.
const base = 0x9E3779B97F4A7C15

func newSampler(least Length) *sampler {
	s := &sampler{least: least, gram: max(least.N/3, 1), out: 1}
	for range s.gram {
		s.out *= base
	}
	size := 1 << bits.Len(uint(least.N))
	s.mask, s.units, s.grams = size-1, make([]sampled, size), make([]uint64, size)
	return s
}

// anchors calls found for each anchor of a text, in order.
func (s *sampler) anchors(text string, found func(anchor)) {
	s.n, s.rolling, s.open, s.found = 0, 0, false, found
	if s.least.Unit == Bytes {
		s.bytes(text)
	} else {
		s.least.Unit.each(text, s.add)
	}
	if s.open {
		found(s.now)
	}
}

// bytes is add for each byte of a text, which is what most texts are read by.
func (s *sampler) bytes(text string) {
	rolling, mask, grams := uint64(0), s.mask, s.grams
	for i := range len(text) {
		rolling = rolling*base + uint64(text[i]) + 1
		gram := i - s.gram + 1
		if gram > 0 {
			rolling -= (uint64(text[gram-1]) + 1) * s.out
		} else if gram < 0 {
			continue
		}
		h := mixed(rolling)
		grams[gram&mask] = h
		if h <= s.low || gram == 0 {
			s.lowest, s.low = gram, h
		}
		first := i + 1 - s.least.N
		if first < 0 {
			continue
		}
		if s.lowest < first {
			s.slide(first, gram)
		}
		if s.lowest == s.now.at && s.open {
			s.now.hi = i + 1
		} else {
			s.stand(s.lowest, first, i+1)
		}
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
	s.grams[gram&s.mask] = h
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
		s.slide(first, s.n-s.gram)
	}
	s.stand(s.units[s.lowest&s.mask].start, s.units[first&s.mask].start, end)
}

// slide finds the smallest hash of the grams of a window anew.
func (s *sampler) slide(first, last int) {
	s.lowest, s.low = first, s.grams[first&s.mask]
	for g := first + 1; g <= last; g++ {
		if h := s.grams[g&s.mask]; h <= s.low {
			s.lowest, s.low = g, h
		}
	}
}

// stand says where the anchor of the window from lo to hi is.
func (s *sampler) stand(at, lo, hi int) {
	if s.open && s.now.at == at {
		s.now.hi = hi
		return
	}
	if s.open {
		s.found(s.now)
	}
	// The smallest of many hashes are small; a key is spread over all 64 bits again.
	s.open, s.now = true, anchor{key: mixed(s.low), at: at, lo: lo, hi: hi}
}

// mixed makes every bit depend on all of h.
func mixed(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
	return hi ^ lo
}
