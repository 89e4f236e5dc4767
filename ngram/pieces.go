package ngram

import (
	"slices"

	"github.com/neardup/neardup/feature"
)

// In a batch, the longer text of a pair selects keys, which are called its pieces.
//
// Let b be the longer text of a near pair (or either, if both have one length), n its number of runes, and d = allowed(n).
// Choose any d+1 disjoint substrings of b as its pieces. At most d edits turn b into the other text, and each edit hits at
// most one piece. So the other text contains one of the pieces. This holds for every length and threshold: d < n, so b
// always has enough pieces of one rune. Every text has two roles. It selects pieces, and it holds all its substrings of the
// lengths that pieces can have. Each role searches the other. Pieces are chosen to have the least total frequency. So a
// text with a common greeting selects pieces from its other words. (Pigeonhole on segments, with the longer text's cut: Li
// et al., PASS-JOIN, VLDB 2011; disjoint rare substrings on one side only: Qin et al., asymmetric signatures, SIGMOD 2011.)
//
// Two rules reduce the substrings of the holder. Both need counts of the whole corpus. A piece that occurs once is in no
// other text, so it is dropped. A substring that no text has selected need not be searched. Keys contain the class of the
// longer length, so texts of unsuitable lengths are not compared.

// longestPiece limits the length of pieces, and so the number of substrings of a holder.
const longestPiece = 6

// lengths is a class of lengths of the longer text, from..to runes.
type lengths struct {
	from, to int
	// lengths of the pieces
	least, most int
}

// newClasses divides the lengths into classes so that a text and its longest partner are at most one class apart. The last
// class is unbounded.
func newClasses(p *plans) []lengths {
	var all []lengths
	for from := 1; from < planned; {
		c := lengths{from: from, to: min(longestPartner(p.threshold, from), planned-1), least: 2}
		for n := c.from; n <= c.to; n++ {
			c.least = min(c.least, n/(p.allowed(n)+1))
		}
		c.most = min(longestPiece, c.to)
		all = append(all, c)
		from = c.to + 1
	}
	end := lengths{from: planned, to: 1 << 62, least: 2, most: longestPiece}
	if p.threshold < .51 { // each of the d+1 pieces has fewer than 2 runes
		end.least = 1
	}
	return append(all, end)
}

func (p *plans) class(n int) int {
	at, _ := slices.BinarySearchFunc(p.classes, n, func(c lengths, n int) int { return c.to - n })
	return at
}

// Tags of the two roles.
const (
	tagSelects = 0x44
	tagHolds   = 0x45
)

// inClass returns the hash of a substring as a piece of a text in a class.
func inClass(hash uint64, class int) uint64 {
	return feature.Mix(hash + uint64(class+1)*0x9e3779b97f4a7c15)
}

// pieces fills s.chosen with the pieces of a text, as hashes within the class of its length. s.grams must have been called
// with q = longestPiece. It omits pieces that no other text has.
func (m *editMethod) pieces(s *scratch, n int) {
	class := m.plans.class(n)
	c := m.plans.classes[class]
	s.choose(n, c, m.plans.allowed(n)+1, m.corpus)
	kept := s.chosen[:0]
	for _, at := range s.chosen {
		if h := s.hashes[at]; m.corpus.count(h) > 1 {
			kept = append(kept, inClass(h, class))
		}
	}
	slices.Sort(kept)
	s.chosen = slices.Compact(kept)
}

// held fills s.sorted with all substrings of a text that a text of suitable length may have selected.
func (m *editMethod) held(s *scratch, n int) {
	s.sorted = s.sorted[:0]
	last := m.plans.class(longestPartner(m.plans.threshold, n))
	for class := m.plans.class(n); class <= last; class++ {
		c := m.plans.classes[class]
		for i := range n {
			for size := c.least; size <= min(c.most, i+1); size++ {
				h := inClass(s.hashes[i*longestPiece+size-1], class)
				if m.corpus.wanted(h) {
					s.sorted = append(s.sorted, h)
				}
			}
		}
	}
	slices.Sort(s.sorted)
	s.sorted = slices.Compact(s.sorted)
}

// The choice of pieces uses one of these prices per piece, which grow by about a half. It uses the lowest price at which
// enough pieces are worth their frequency.
const (
	prices    = 48
	mostPrice = 1 << 24
	// longestChoice is the length up to which pieces are chosen by frequency. Pieces of a longer text are equally spaced.
	longestChoice = 1 << 14
)

func price(step int) int64 {
	if step < 2 {
		return int64(step)
	}
	return int64(2+step&1) << (step/2 - 1)
}

// choose fills s.chosen with the indexes in s.hashes of need disjoint substrings. Their total frequency is about the least.
// It finds the best choice for a price per piece (Lagrangian relaxation) by bisection, then drops the most frequent surplus
// pieces. O(n) for each of 6 prices.
func (s *scratch) choose(n int, c lengths, need int, table *corpusCounts) {
	s.chosen = s.chosen[:0]
	if n <= longestChoice {
		s.weigh(n, c, table)
		low, high := 0, prices
		for low < high {
			middle := (low + high) / 2
			if s.worth(n, c, price(middle)) >= need {
				high = middle
			} else {
				low = middle + 1
			}
		}
		if low < prices && s.worth(n, c, price(low)) >= need {
			s.collect(n, need)
			return
		}
	}
	for i := range need {
		from := i * n / need
		size := min((i+1)*n/need-from, c.most)
		s.chosen = append(s.chosen, uint64((from+size-1)*longestPiece+size-1))
	}
}

// weigh fills s.costs, parallel to s.hashes, with the number of other texts that have each substring.
func (s *scratch) weigh(n int, c lengths, table *corpusCounts) {
	s.costs = grow(s.costs, n*longestPiece)
	for i := range n {
		for size := c.least; size <= min(c.most, i+1); size++ {
			at := i*longestPiece + size - 1
			s.costs[at] = int64(min(max(table.count(s.hashes[at]), 1)-1, mostPrice))
		}
	}
}

// countBits is the number of low bits that hold the number of pieces. Their worth is above them.
const countBits = 16

// worth returns the number of pieces chosen at a price, preferring more pieces. s.took holds the length of the piece that
// ends at each rune, or 0.
func (s *scratch) worth(n int, c lengths, price int64) int {
	s.best = grow(s.best, n+1)
	s.took = grow(s.took, n)
	s.best[0] = 0
	for i := range n {
		best, took := s.best[i], 0
		for size := c.least; size <= min(c.most, i+1); size++ {
			v := s.best[i+1-size] + (price-s.costs[i*longestPiece+size-1])<<countBits + 1
			if v > best {
				best, took = v, size
			}
		}
		s.best[i+1], s.took[i] = best, uint8(took)
	}
	return int(s.best[n] & (1<<countBits - 1))
}

// collect walks back through s.took and keeps the need least frequent pieces.
func (s *scratch) collect(n, need int) {
	for i := n - 1; i >= 0; {
		size := int(s.took[i])
		if size == 0 {
			i--
			continue
		}
		s.chosen = append(s.chosen, uint64(i*longestPiece+size-1))
		i -= size
	}
	slices.SortFunc(s.chosen, func(a, b uint64) int { return int(s.costs[a] - s.costs[b]) })
	s.chosen = s.chosen[:need]
}
