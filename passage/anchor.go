package passage

import (
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// An anchor represents all windows (passages of the least length) around one gram (k units). These are the windows in which
// this gram has the smallest hash, or is the last one with that hash. So the anchor depends on the window alone, and equal
// windows have the same anchor. It is a minimizer (Roberts et al. 2004), as in winnowing (Schleimer et al. 2003). Every
// window has one anchor.
//
// Windows that extend farther before the gram have a different anchor from those that extend farther after it, because the
// windows of each kind share more than the gram. A window can recur only if everything that its kind shares recurs.
type anchor struct {
	key   uint64 // hash of the gram
	whole uint64 // hash of the text that all its windows share
	at    int    // offset of the gram
	// Its windows are consecutive. The first begins at lo and the last ends at hi.
	lo, hi int
}

// sampler finds the anchors of texts. It is for one goroutine at a time.
type sampler struct {
	least Length
	gram  int    // length in units
	half  int    // units that each window has before the gram, or after it
	out   uint64 // factor of the unit that leaves the rolling hash

	// The last units, and the hashes of the grams that begin with them. Each is at its number & mask.
	mask  int
	units []sampled
	grams []uint64

	n       int // number of units so far
	rolling uint64
	lowest  int    // first unit of the gram with the smallest hash
	low     uint64 // the smallest hash
	open    bool   // now is an anchor that may get further windows
	now     anchor
	gramAt  int // first unit of its gram
	last    int // first unit of its last window
	text    string
	all     []anchor // anchors of the text
}

type sampled struct {
	start, end int
	hash       uint64
}

// base is the base of the rolling hash, a polynomial over the hashes of units mod 2^64.
const base = 0x9E3779B97F4A7C15

// gram returns the number of units that an anchor's hash covers.
func (l Length) gram() int { return max(l.N/3, 1) }

func newSampler(least Length) *sampler {
	s := &sampler{least: least, gram: least.gram(), out: 1}
	s.half = (least.N - s.gram + 1) / 2
	for range s.gram {
		s.out *= base
	}
	size := 1 << bits.Len(uint(least.N))
	s.mask, s.units, s.grams = size-1, make([]sampled, size), make([]uint64, size)
	return s
}

// anchors returns the anchors of a text, in order. The result is valid until the next call.
func (s *sampler) anchors(text string) []anchor {
	s.n, s.rolling, s.open, s.text, s.all = 0, 0, false, text, s.all[:0]
	if s.least.Unit == Bytes {
		s.bytes(text)
	} else {
		s.least.Unit.each(text, s.add)
	}
	if s.open {
		s.all = append(s.all, s.now)
	}
	s.text = ""
	return s.all
}

// bytes does the same as add for each byte of a text. It is faster, and most lengths are in bytes.
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
		if s.lowest == s.gramAt && first <= s.last && s.open {
			s.now.hi = i + 1
		} else {
			s.stand(first, i+1)
		}
	}
}

// add adds the next unit, which may complete a gram and a window.
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

// window processes the window that begins with a unit and ends at a byte.
func (s *sampler) window(first, end int) {
	if s.lowest < first {
		s.slide(first, s.n-s.gram)
	}
	if s.lowest == s.gramAt && first <= s.last && s.open {
		s.now.hi = end
	} else {
		s.stand(first, end)
	}
}

// slide finds the smallest hash after the window has moved by a unit.
func (s *sampler) slide(first, last int) {
	s.lowest, s.low = first, s.grams[first&s.mask]
	for g := first + 1; g <= last; g++ {
		if h := s.grams[g&s.mask]; h <= s.low {
			s.lowest, s.low = g, h
		}
	}
}

// stand begins an anchor with the window that begins with a unit and ends at a byte.
func (s *sampler) stand(first, end int) {
	if s.open {
		s.all = append(s.all, s.now)
	}
	s.open, s.gramAt, s.last = true, s.lowest, math.MaxInt
	from, to, salt := s.lowest, s.lowest+s.gram+s.half-1, uint64(0)
	if s.lowest-first >= s.half {
		s.last = s.lowest - s.half
		from, to, salt = s.last, s.lowest+s.gram-1, 1 // a salt distinguishes text shared before a gram from text shared after one
	}
	common := s.text[s.start(from):s.end(to)]
	// The smallest of many hashes is a small number, so the key is mixed again to use all 64 bits.
	s.now = anchor{key: mixed(s.low), whole: xxh3.HashStringSeed(common, salt), at: s.start(s.lowest), lo: s.start(first), hi: end}
}

// start and end return the offsets of one of the last units.
func (s *sampler) start(unit int) int {
	if s.least.Unit == Bytes {
		return unit
	}
	return s.units[unit&s.mask].start
}

func (s *sampler) end(unit int) int {
	if s.least.Unit == Bytes {
		return unit + 1
	}
	return s.units[unit&s.mask].end
}

// mixed returns h with every bit depending on all bits.
func mixed(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
	return hi ^ lo
}
