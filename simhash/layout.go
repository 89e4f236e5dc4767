package simhash

import (
	"fmt"
	"math"
	"math/bits"
)

// MaxK is the largest distance that indexes and joins search.
const MaxK = 7

// layout is a set of tables in which two fingerprints within K bits share a bucket of at least one table. The key of a
// table consists of some bits of the fingerprint. The table finds fingerprints whose key differs in at most radius bits.
// There are two families:
//
//	probe:m      m blocks of 64/m bits, m <= k+1, a table each. In one block at
//	             most k/m bits differ, so keys are flipped when searched
//	             (Norouzi, Punjani, Fleet, "Fast Exact Search in Hamming Space
//	             with Multi-Index Hashing", TPAMI 2014, section 3). With m = k+1
//	             nothing is flipped: the classic 4 tables of 16 bits for k = 3.
//	choose:m,c   m blocks, a table for any c of them, c <= m-k: longer keys,
//	             more tables. choose:5,2 is the 10 tables and choose:6,3 the 20
//	             tables of Manku, Jain, Das Sarma, WWW 2007, section 3.
type layout struct {
	name   string
	k      int
	tables []keyTable
}

// keyTable finds fingerprints by one of the keys of a layout.
type keyTable struct {
	mask   uint64    // bits of the fingerprint that form the key
	bits   int       // number of these bits
	radius int       // the table finds keys that differ in at most this number of bits
	part   [3]gather // runs of bits that form the key
	flips  []uint64  // all changes of a key within the radius, 0 first
}

// gather moves a run of bits to its position in the key.
type gather struct {
	turn int
	mask uint64
}

// key returns the key of v. It is linear: key(a^b) = key(a)^key(b).
func (t *keyTable) key(v uint64) uint64 {
	return bits.RotateLeft64(v, t.part[0].turn)&t.part[0].mask |
		bits.RotateLeft64(v, t.part[1].turn)&t.part[1].mask |
		bits.RotateLeft64(v, t.part[2].turn)&t.part[2].mask
}

// meets reports whether t finds pairs of fingerprints with this difference.
func (t *keyTable) meets(difference uint64) bool {
	return bits.OnesCount64(difference&t.mask) <= t.radius
}

// first reports whether t is the first table that finds pairs with this difference. Only that table reports them.
func (l *layout) first(t int, difference uint64) bool {
	for u := range t {
		if l.tables[u].meets(difference) {
			return false
		}
	}
	return true
}

// probe returns the layout probe:m. Let k = m*r + a. Then one of the first a+1 blocks differs in at most r bits, or one of
// the others in at most r-1. Otherwise at least (a+1)(r+1) + (m-a-1)r = k+1 bits would differ.
func probe(k, m int) layout {
	l := layout{name: fmt.Sprintf("probe:%d", m), k: k}
	r, a := k/m, k%m
	for i, mask := range cut(^uint64(0), m) {
		if i > a {
			l.addTable(mask, r-1)
		} else {
			l.addTable(mask, r)
		}
	}
	return l
}

func choose(k, m, c int) layout {
	l := layout{name: fmt.Sprintf("choose:%d,%d", m, c), k: k}
	blocks := cut(^uint64(0), m)
	for set := range 1 << m {
		if bits.OnesCount(uint(set)) != c {
			continue
		}
		var mask uint64
		for i, b := range blocks {
			if set>>i&1 != 0 {
				mask |= b
			}
		}
		l.addTable(mask, 0)
	}
	return l
}

// cut divides the bits of a mask into n runs of nearly equal size.
func cut(mask uint64, n int) []uint64 {
	out := make([]uint64, n)
	total := bits.OnesCount64(mask)
	for i := range n {
		for range total*(i+1)/n - total*i/n {
			low := mask & -mask
			out[i] |= low
			mask ^= low
		}
	}
	return out
}

// addTable adds the table of a mask of at most three runs of bits.
func (l *layout) addTable(mask uint64, radius int) {
	t := keyTable{mask: mask, radius: radius}
	for rest := mask; rest != 0; {
		from := bits.TrailingZeros64(rest)
		width := bits.TrailingZeros64(^(rest >> from))
		run := ^uint64(0) >> (64 - width)
		for i := range t.part {
			if t.part[i].mask == 0 {
				t.part[i] = gather{turn: t.bits - from, mask: run << t.bits}
				break
			}
		}
		t.bits += width
		rest &^= run << from
	}
	t.flips = flips(t.bits, radius)
	l.tables = append(l.tables, t)
}

// flips lists the masks of n bits with at most radius bits set, by their number of bits.
func flips(n, radius int) []uint64 {
	out := []uint64{0}
	from := 0
	for range radius {
		to := len(out)
		for _, f := range out[from:to] {
			for b := bits.Len64(f); b < n; b++ {
				out = append(out, f|1<<b)
			}
		}
		from = to
	}
	return out
}

// layouts lists the layouts for distance k that may be the cheapest.
func layouts(k int) (out []layout) {
	for m := min(2, k+1); m <= k+1; m++ {
		if k/m <= 3 {
			out = append(out, probe(k, m))
		}
	}
	for c := 1; c <= 3; c++ {
		if l := choose(k, k+c, c); len(l.tables) <= 40 {
			out = append(out, l)
		}
	}
	return out
}

// cheapest returns the cheapest layout for distance k.
func cheapest(k int, cost func(*layout) float64) (best layout, err error) {
	if k < 0 || k > MaxK {
		return best, fmt.Errorf("%w: %d (want 0 to %d)", ErrDistance, k, MaxK)
	}
	least := math.Inf(1)
	for _, l := range layouts(k) {
		if c := cost(&l); c < least {
			best, least = l, c
		}
	}
	return best, nil
}
