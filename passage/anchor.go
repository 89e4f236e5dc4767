package passage

import (
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// An anchor represents all windows (passages of the least length) around one gram (k units): those in which this gram
// has the smallest hash, or is the last one of equal hashes. It depends on the window alone, so equal windows have the
// same anchor: a minimizer (Roberts et al. 2004), as in winnowing (Schleimer et al. 2003). Every window has one anchor.
// Windows that extend farther before the gram have another anchor than those that extend farther after it, because each
// kind shares more than the gram. A window can recur only if everything that its kind shares recurs.
type anchor struct {
	key   uint64 // of the gram
	whole uint64 // hash of all that its windows have in common
	at    int    // where the gram begins
	// Its windows follow each other, from the one that begins at lo to the one that ends at hi.
	lo, hi int
}

// sampler finds the anchors of texts. It is for one goroutine at a time.
type sampler struct {
	least Length
	gram  int    // units
	half  int    // units before the gram, or after it, that each window has
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
	gramAt  int // its gram, by its first unit
	last    int // the last of its windows, by its first unit
	text    string
	all     []anchor // of the text
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

// bytes does the same as add for each byte of a text. It is faster, and most texts are read by bytes.
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

// add takes the next unit, which may end a gram and a window.
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

// stand begins the anchor of the window that begins with a unit and ends at a byte.
func (s *sampler) stand(first, end int) {
	if s.open {
		s.all = append(s.all, s.now)
	}
	s.open, s.gramAt, s.last = true, s.lowest, math.MaxInt
	from, to, salt := s.lowest, s.lowest+s.gram+s.half-1, uint64(0)
	if s.lowest-first >= s.half {
		s.last = s.lowest - s.half
		from, to, salt = s.last, s.lowest+s.gram-1, 1 // what is common before one gram is not that behind another
	}
	common := s.text[s.start(from):s.end(to)]
	// The smallest of many hashes is a small number, so the key is spread over all 64 bits again.
	s.now = anchor{key: mixed(s.low), whole: xxh3.HashStringSeed(common, salt), at: s.start(s.lowest), lo: s.start(first), hi: end}
}

// start and end return where one of the last units is in the text.
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

// mixed returns h with every bit dependent on all bits.
func mixed(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
	return hi ^ lo
}
