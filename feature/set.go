package feature

import (
	"math/bits"
	"slices"
)

// Below this many hashes the standard sort is as fast.
const radixFrom = 64

// Set sorts hashes in place, drops repeats and returns what is left. O(n) and
// 12 bytes of scratch a hash; a [Sorter] keeps the scratch.
func Set(hashes []uint64) []uint64 {
	var s Sorter
	return s.Set(hashes)
}

// Sorter makes sets and keeps its scratch between them. The zero value is
// ready; not for concurrent use.
type Sorter struct {
	next []uint32
	from []uint64
}

// Set is the function of that name. Hashes are spread evenly, so one pass deals
// them into about as many buckets as there are hashes and insertion then moves
// nearly nothing. Any other numbers are sorted as well, only slower.
func (s *Sorter) Set(hashes []uint64) []uint64 {
	if len(hashes) < radixFrom {
		slices.Sort(hashes)
		return slices.Compact(hashes)
	}
	s.deal(hashes)
	if !insertion(hashes) {
		slices.Sort(hashes)
	}
	return slices.Compact(hashes)
}

// deal sorts by the top bits.
func (s *Sorter) deal(hashes []uint64) {
	width := min(bits.Len(uint(len(hashes))), 16)
	shift := 64 - width
	next := slices.Grow(s.next[:0], 1<<width+1)[:1<<width+1]
	clear(next)
	for _, h := range hashes {
		next[h>>shift+1]++
	}
	sum := uint32(0)
	for i, n := range next {
		sum += n
		next[i] = sum
	}
	from := append(s.from[:0], hashes...)
	for _, h := range from {
		b := h >> shift
		hashes[next[b]] = h
		next[b]++
	}
	s.next, s.from = next, from
}

// insertion sorts what is nearly sorted. It gives up, and returns false, if
// the hashes were not spread evenly and it would take long.
func insertion(h []uint64) bool {
	moves := 16 * len(h)
	for i := 1; i < len(h); i++ {
		x, j := h[i], i
		for ; j > 0 && h[j-1] > x; j-- {
			h[j] = h[j-1]
		}
		h[j] = x
		if moves -= i - j; moves < 0 {
			return false
		}
	}
	return true
}

// IntersectSorted returns how many hashes two sets have in common. O(len(a) +
// len(b)) without a branch that depends on the hashes, or
// O(len(a) log len(b)) where b is much longer.
func IntersectSorted(a, b []uint64) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a)*gallopFrom < len(b) {
		return gallop(a, b)
	}
	n, _ := merge(a, b, len(a)+len(b))
	return n
}

// gallopFrom is the ratio of sizes from which searching beats merging.
const gallopFrom = 32

func gallop(a, b []uint64) int {
	n := 0
	for _, x := range a {
		reach := 1
		for reach < len(b) && b[reach] < x {
			reach *= 2
		}
		i, found := slices.BinarySearch(b[:min(reach+1, len(b))], x)
		if found {
			n++
		}
		b = b[i:]
	}
	return n
}

// stride is the number of merge steps between two looks at what is missing.
const stride = 64

// merge counts what two sets have in common. It stops early, and says so, once
// more than misses steps have found nothing: every such step passes over a
// hash that only one of the sets has.
func merge(a, b []uint64, misses int) (both int, ok bool) {
	i, j := 0, 0
	for {
		// No index runs out within a stride, so its steps need no check.
		steps := min(len(a)-i, len(b)-j, stride)
		if steps == 0 {
			break
		}
		before := both
		ahead := i + j
		for range steps {
			x, y := a[i], b[j]
			both += one(x == y)
			i += one(x <= y)
			j += one(y <= x)
		}
		misses -= i + j - ahead - 2*(both-before)
		if misses < 0 {
			return both, false
		}
	}
	return both, misses >= len(a)-i+len(b)-j
}

// one is 1 for true; the compiler makes it a flag, not a jump.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// JaccardAtLeast compares two sets: ok reports whether float64(inter) /
// float64(union) >= t, and inter is the size of the intersection. It stops as
// soon as t is out of reach; then inter is what was found so far. Two empty
// sets are never near. Cost: that of IntersectSorted at most.
func JaccardAtLeast(a, b []uint64, t float64) (inter int, ok bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 || float64(len(a))/float64(len(b)) < t {
		return 0, false
	}
	if len(a)*gallopFrom < len(b) {
		inter = gallop(a, b)
		return inter, jaccard(inter, len(a)+len(b)) >= t
	}
	need := Overlap(len(a), len(b), t)
	inter, ok = merge(a, b, len(a)+len(b)-2*need)
	return inter, ok
}

func jaccard(inter, sizes int) float64 {
	return float64(inter) / float64(sizes-inter)
}

// Overlap returns the smallest intersection of two sets of these sizes whose
// Jaccard similarity is at least t; min(m, n)+1 if none is.
func Overlap(m, n int, t float64) int {
	if m+n == 0 {
		return 1
	}
	// The float is right to a step or two; the definition decides.
	need := max(min(int(t/(1+t)*float64(m+n)), min(m, n)+1), 0)
	for need > 0 && jaccard(need-1, m+n) >= t {
		need--
	}
	for need <= min(m, n) && jaccard(need, m+n) < t {
		need++
	}
	return need
}
