package simhash

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"
)

type scanner struct {
	*joiner
	number int
	table  *keyTable
	flips  []uint64 // changes of a bucket number, 0 first
	width  int
}

// partition returns the pairs whose first bucket is in partition p.
func (s *scanner) partition(p int) []valuePair {
	size := 1 << min(s.width, partitionBits)
	var out []valuePair
	var scratch []uint64
	for b := p * size; b < (p+1)*size; b++ {
		mine := s.a.bucket(b)
		if len(mine) == 0 {
			continue
		}
		for _, f := range s.flips {
			other := b ^ int(f)
			switch {
			case s.a != s.b || other > b:
				if anyAcross(mine, s.b.bucket(other), s.k) {
					out = s.across(out, mine, s.b.bucket(other))
				}
			case other == b:
				if anyWithin(mine, s.k) {
					scratch = append(scratch[:0], mine...)
					out = s.inside(out, scratch)
				}
			}
		}
	}
	return out
}

// anyWithin reports whether two values of a bucket may be within k bits, or equal. Usually there are none, and nothing else
// is done. For a hot bucket it returns true, because comparing all pairs would take too long.
func anyWithin(v []uint64, k int) bool {
	if len(v) > few {
		return true
	}
	for i, a := range v {
		for _, b := range v[i+1:] {
			if bits.OnesCount64(a^b) <= k {
				return true
			}
		}
	}
	return false
}

// anyAcross does the same as anyWithin for two buckets.
func anyAcross(v, w []uint64, k int) bool {
	if len(v) > few && len(w) > few {
		return true
	}
	for _, a := range v {
		for _, b := range w {
			if bits.OnesCount64(a^b) <= k {
				return true
			}
		}
	}
	return false
}

// mine reports whether a difference is within k and this table is the first that finds it.
func (s *scanner) mine(difference uint64) bool {
	return bits.OnesCount64(difference) <= s.k && s.table.meets(difference) && s.layout.first(s.number, difference)
}

// inside appends the pairs of a bucket that this table reports. For a repeated value that is (v, v). It reorders the
// values.
func (s *scanner) inside(out []valuePair, values []uint64) []valuePair {
	slices.Sort(values)
	if s.number == 0 {
		for i := 1; i < len(values); i++ {
			if values[i] == values[i-1] && (i == 1 || values[i] != values[i-2]) {
				out = append(out, valuePair{values[i], values[i]})
			}
		}
	}
	values = slices.Compact(values)
	near(values, values, s.k, func(a, b uint64) {
		if s.mine(a ^ b) {
			out = append(out, valuePair{min(a, b), max(a, b)})
		}
	})
	return out
}

// across appends the pairs between two buckets. In a join of two lists, one has queries and the other fingerprints, and
// both may have the same values.
func (s *scanner) across(out []valuePair, v, w []uint64) []valuePair {
	v, w = slices.Sorted(slices.Values(v)), slices.Sorted(slices.Values(w))
	near(slices.Compact(v), slices.Compact(w), s.k, func(a, b uint64) {
		switch {
		case !s.mine(a ^ b):
		case s.a == s.b && a > b:
			out = append(out, valuePair{b, a})
		default:
			out = append(out, valuePair{a, b})
		}
	})
	return out
}

// Up to few values are compared pairwise.
const few = 256

// near calls report for every pair of a value of v and a value of w within k bits. If w is v, it reports pairs of different
// positions. It divides hot buckets further if that at least halves the work of comparing all pairs: it cuts the bits in which
// values differ into k+1 blocks, and two near values are equal in at least one block. So the worst case is many values
// that differ only in a few bits, nearly all of which are near each other.
func near(v, w []uint64, k int, report func(a, b uint64)) {
	if len(v) > few && len(w) > few && divide(v, w, k, report) {
		return
	}
	one := alias(v, w)
	for i, a := range v {
		others := w
		if one {
			others = v[i+1:]
		}
		for _, b := range others {
			if bits.OnesCount64(a^b) <= k {
				report(a, b)
			}
		}
	}
}

// alias reports whether two slices are the same.
func alias(v, w []uint64) bool { return unsafe.SliceData(v) == unsafe.SliceData(w) }

// grouped holds values in an order in which values with an equal block are adjacent.
type grouped struct {
	block  uint64
	values []uint64
}

// divide does the work of near by k+1 blocks. If that saves too little, it does nothing and returns false.
func divide(v, w []uint64, k int, report func(a, b uint64)) bool {
	var differ uint64
	for _, values := range [][]uint64{v, w} {
		for _, x := range values {
			differ |= x ^ v[0]
		}
	}
	if bits.OnesCount64(differ) <= k {
		return false
	}
	blocks := cut(differ, k+1)
	vs, ws := make([]grouped, len(blocks)), make([]grouped, len(blocks))
	work := 0
	for i, block := range blocks {
		vs[i] = group(v, block)
		ws[i] = vs[i]
		if !alias(v, w) {
			ws[i] = group(w, block)
		}
		vs[i].meet(ws[i], func(a, b []uint64) { work += len(a) * len(b) })
	}
	if work > len(v)*len(w)/2 {
		return false
	}
	for i := range blocks {
		vs[i].meet(ws[i], func(a, b []uint64) {
			near(a, b, k, func(x, y uint64) {
				if !slices.ContainsFunc(blocks[:i], func(earlier uint64) bool { return (x^y)&earlier == 0 }) {
					report(x, y)
				}
			})
		})
	}
	return true
}

// group sorts a copy of values by a block.
func group(values []uint64, block uint64) grouped {
	g := grouped{block, slices.Clone(values)}
	slices.SortFunc(g.values, func(a, b uint64) int { return cmp.Compare(a&block, b&block) })
	return g
}

// meet calls fn for every run of g and run of o with an equal block.
func (g *grouped) meet(o grouped, fn func(a, b []uint64)) {
	for v, w := g.values, o.values; len(v) > 0; {
		want := v[0] & g.block
		for len(w) > 0 && w[0]&g.block < want {
			w = w[1:]
		}
		n, m := g.equal(v, want), g.equal(w, want)
		if m > 0 {
			fn(v[:n], w[:m])
		}
		v, w = v[n:], w[m:]
	}
}

// equal returns the number of values at the start whose block is want.
func (g *grouped) equal(values []uint64, want uint64) (n int) {
	for n < len(values) && values[n]&g.block == want {
		n++
	}
	return n
}
