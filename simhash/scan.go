package simhash

import (
	"cmp"
	"math/bits"
	"slices"
)

// scanner compares buckets of one table.
type scanner struct {
	*joiner
	number int
	table  *table
	flips  []uint64 // of bucket numbers, 0 first
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

// anyWithin reports whether two values of a bucket may be within k bits, equal
// ones included. Nearly always none are, and this is all that is done. Of a
// hot bucket it is not known: to compare each with each would take too long.
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

// anyAcross is anyWithin for two buckets.
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

// mine reports whether a difference is within k and first met in this table.
func (s *scanner) mine(difference uint64) bool {
	return bits.OnesCount64(difference) <= s.k && s.table.meets(difference) && s.layout.first(s.number, difference)
}

// inside appends the pairs of a bucket that this table reports: (v, v) for a
// value that is there more than once. It reorders the values.
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
	if len(values) > few {
		return s.hotBucket(out, values)
	}
	for i, a := range values {
		for _, b := range values[i+1:] {
			if s.mine(a ^ b) {
				out = append(out, valuePair{a, b})
			}
		}
	}
	return out
}

// hotBucket appends the pairs of a bucket of very many values.
func (s *scanner) hotBucket(out []valuePair, values []uint64) []valuePair {
	near(values, s.k, func(a, b uint64) {
		if s.mine(a ^ b) {
			out = append(out, valuePair{min(a, b), max(a, b)})
		}
	})
	return out
}

// across appends the pairs between two buckets: in a join of two lists one of
// queries and one of fingerprints, which may hold the same values.
func (s *scanner) across(out []valuePair, v, w []uint64) []valuePair {
	v, w = slices.Sorted(slices.Values(v)), slices.Sorted(slices.Values(w))
	nearAcross(slices.Compact(v), slices.Compact(w), s.k, func(a, b uint64) {
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

// few values are compared each with each.
const few = 256

// near calls report for every pair of different values that may be within k
// bits, once. The values of a hot bucket are cut further: of k+1 blocks of
// the bits in which they differ at all, two near values are equal in one. That
// is done as long as it at least halves the work of comparing each with each, so that
// is the most it ever costs: many values that differ in a few bits only, nearly
// all of them near each other.
func near(values []uint64, k int, report func(a, b uint64)) {
	if len(values) > few {
		if groups, ok := divide(values, k); ok {
			for i, g := range groups {
				nearInGroups(g, groups[:i], k, report)
			}
			return
		}
	}
	for i, a := range values {
		for _, b := range values[i+1:] {
			if bits.OnesCount64(a^b) <= k {
				report(a, b)
			}
		}
	}
}

// grouped is values in an order in which those equal in a block are together.
type grouped struct {
	block  uint64
	values []uint64
}

// nearAcross is near for pairs of one value from each side, which may be equal.
func nearAcross(v, w []uint64, k int, report func(a, b uint64)) {
	if len(v) > few && len(w) > few && divideAcross(v, w, k, report) {
		return
	}
	for _, a := range v {
		for _, b := range w {
			if bits.OnesCount64(a^b) <= k {
				report(a, b)
			}
		}
	}
}

// divideAcross is nearAcross by k+1 blocks; false, and nothing done, if that
// saves too little.
func divideAcross(v, w []uint64, k int, report func(a, b uint64)) bool {
	var differ uint64
	for _, x := range slices.Concat(v, w) {
		differ |= x ^ v[0]
	}
	if bits.OnesCount64(differ) <= k {
		return false
	}
	blocks := cut(differ, k+1)
	vs, ws := make([]grouped, len(blocks)), make([]grouped, len(blocks))
	work := 0
	for i, block := range blocks {
		vs[i], ws[i] = group(v, block), group(w, block)
		vs[i].meet(ws[i], func(a, b []uint64) { work += len(a) * len(b) })
	}
	if work > len(v)*len(w)/2 {
		return false
	}
	for i := range blocks {
		vs[i].meet(ws[i], func(a, b []uint64) {
			nearAcross(a, b, k, func(x, y uint64) {
				if !slices.ContainsFunc(blocks[:i], func(earlier uint64) bool { return (x^y)&earlier == 0 }) {
					report(x, y)
				}
			})
		})
	}
	return true
}

// divide groups values by each of k+1 blocks; not ok if that saves too little.
func divide(values []uint64, k int) (out []grouped, ok bool) {
	var differ uint64
	for _, v := range values {
		differ |= v ^ values[0]
	}
	if bits.OnesCount64(differ) <= k {
		return nil, false
	}
	work := 0
	for _, block := range cut(differ, k+1) {
		g := group(values, block)
		g.each(func(same []uint64) { work += len(same) * len(same) })
		out = append(out, g)
	}
	return out, work <= len(values)*len(values)/2
}

// group sorts a copy of values by a block.
func group(values []uint64, block uint64) grouped {
	g := grouped{block, slices.Clone(values)}
	slices.SortFunc(g.values, func(a, b uint64) int { return cmp.Compare(a&block, b&block) })
	return g
}

// meet calls fn for every run of g and run of o that are equal in the block.
func (g *grouped) meet(o grouped, fn func(a, b []uint64)) {
	rest := o.values
	g.each(func(same []uint64) {
		want := same[0] & g.block
		for len(rest) > 0 && rest[0]&g.block < want {
			rest = rest[1:]
		}
		n := 0
		for n < len(rest) && rest[n]&g.block == want {
			n++
		}
		if n > 0 {
			fn(same, rest[:n])
		}
	})
}

// each calls fn for every run of values that are equal in the block.
func (g grouped) each(fn func(same []uint64)) {
	for from := 0; from < len(g.values); {
		to := from + 1
		for to < len(g.values) && (g.values[to]^g.values[from])&g.block == 0 {
			to++
		}
		fn(g.values[from:to])
		from = to
	}
}

// nearInGroups reports the pairs within groups that were in no earlier one.
func nearInGroups(g grouped, earlier []grouped, k int, report func(a, b uint64)) {
	g.each(func(same []uint64) {
		near(same, k, func(a, b uint64) {
			for _, e := range earlier {
				if (a^b)&e.block == 0 {
					return
				}
			}
			report(a, b)
		})
	})
}
