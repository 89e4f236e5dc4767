package feature

import (
	"math/bits"
	"slices"
)

// For fewer hashes than radixFrom the standard sort is as fast.
const radixFrom = 64

// Set sorts hashes in place and returns them without repetitions. It takes O(n) and 12 bytes of scratch memory per hash. A
// [Sorter] reuses that memory.
func Set(hashes []uint64) []uint64 {
	var s Sorter
	return s.Set(hashes)
}

// Sorter makes sets and reuses its scratch memory. The zero value is ready to use. It is not safe for concurrent use.
type Sorter struct {
	next []uint32
	from []uint64
}

// Set sorts hashes and drops duplicates. Hashes are spread evenly, so one pass distributes them into about as many buckets
// as there are hashes. After two steps of bubble sort, which never branch, insertion sort has little to do. Other numbers
// are also sorted correctly, but more slowly.
func (s *Sorter) Set(hashes []uint64) []uint64 {
	if len(hashes) < radixFrom {
		slices.Sort(hashes)
		return slices.Compact(hashes)
	}
	s.deal(hashes)
	bubble(hashes)
	n, ok := insertion(hashes)
	if !ok {
		slices.Sort(hashes[:n])
		return slices.Compact(hashes[:n])
	}
	return hashes[:n]
}

// deal distributes the hashes by their top bits.
func (s *Sorter) deal(hashes []uint64) {
	width := min(bits.Len(uint(len(hashes))), 16)
	shift := (64 - width) & 63 // the mask saves a test in the loops
	next := slices.Grow(s.next[:0], 1<<width+1)[:1<<width+1]
	clear(next)
	count := next[1:]
	for _, h := range hashes {
		count[h>>(shift&63)]++
	}
	sum := uint32(0)
	for i, n := range next {
		sum += n
		next[i] = sum
	}
	from := append(s.from[:0], hashes...)
	for _, h := range from {
		b := h >> (shift & 63)
		n := next[b]
		next[b] = n + 1
		hashes[n] = h
	}
	s.next, s.from = next, from
}

// bubble does two steps of bubble sort at once, by carrying the two largest elements so far.
func bubble(h []uint64) {
	next, most := min(h[0], h[1]), max(h[0], h[1])
	for i, x := range h[2:] {
		y := min(most, x)
		most = max(most, x)
		h[i] = min(next, y)
		next = max(next, y)
	}
	h[len(h)-2], h[len(h)-1] = next, most
}

// insertion sorts nearly sorted hashes, without repetitions, into the first n. If the hashes are not spread evenly, it
// stops and ok is false. Then the first n hold all hashes that remain to be sorted.
func insertion(h []uint64) (n int, ok bool) {
	moves := 16 * len(h)
	last, n := h[0], 1
	for i := 1; i < len(h); i++ {
		x := h[i]
		if x >= last {
			h[n] = x
			n += one(x != last)
			last = x
			continue
		}
		at := n - 1
		for at > 0 && h[at-1] >= x {
			at--
		}
		moves -= n - at
		if h[at] != x {
			copy(h[at+1:n+1], h[at:n])
			h[at] = x
			n++
		}
		if moves < 0 {
			return n + copy(h[n:], h[i+1:]), false
		}
	}
	return n, true
}

// IntersectSorted returns the number of common hashes of two sets. It takes O(len(a) + len(b)) without a branch that
// depends on the hashes, or O(len(a) log len(b)) if b is much longer.
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

// gallopFrom is the least ratio of sizes at which searching is faster than merging.
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

// stride is the number of merge steps between two checks of the misses.
const stride = 64

// A lane holds two sets, or parts of sets, that are being merged. A step of the merge advances past a common hash, or past
// a miss, which is a hash that only one set has.
type lane struct{ a, b []uint64 }

// merge counts the common elements of two sets. It stops with ok false if more than misses elements differ.
func merge(a, b []uint64, misses int) (both int, ok bool) {
	if len(a) < 4*stride {
		both, misses = lane{a, b}.merge(misses)
		return both, misses >= 0
	}
	// A step waits for the previous one, so two halves merged in parallel take little longer than one.
	half := len(a) / 2
	same, _ := slices.BinarySearch(b, a[half])
	low, high := lane{a[:half], b[:same]}, lane{a[half:], b[same:]}
	both, misses = mergeTwo(&low, &high, misses)
	for _, rest := range []lane{low, high} {
		if misses < 0 {
			break
		}
		var n int
		n, misses = rest.merge(misses)
		both += n
	}
	return both, misses >= 0
}

// merge merges a lane. left is the remaining number of misses, which is negative if there were too many.
func (l lane) merge(misses int) (both, left int) {
	a, b := l.a, l.b
	for misses >= 0 {
		// No index can run out within a stride, so its steps need no check.
		steps := min(len(a), len(b), stride)
		if steps == 0 {
			return both, misses - len(a) - len(b)
		}
		i, j := 0, 0
		for range steps {
			x, y := a[i], b[j]
			i += one(x <= y)
			j += one(y <= x)
		}
		a, b = a[i:], b[j:]
		same := i + j - steps // a step takes two hashes if they are equal
		both += same
		misses -= steps - same
	}
	return both, misses
}

// mergeTwo merges two lanes in parallel while every part has at least a stride left. It leaves the rest in the lanes.
func mergeTwo(l, m *lane, misses int) (both, left int) {
	a, b, c, d := l.a, l.b, m.a, m.b
	for misses >= 0 && min(len(a), len(b), len(c), len(d)) >= stride {
		i, j, p, q := strides((*[stride]uint64)(a), (*[stride]uint64)(b), (*[stride]uint64)(c), (*[stride]uint64)(d))
		a, b, c, d = a[i:], b[j:], c[p:], d[q:]
		same := i + j + p + q - 2*stride
		both += same
		misses -= 2*stride - same
	}
	l.a, l.b, m.a, m.b = a, b, c, d
	return both, misses
}

// strides takes stride steps in two lanes and returns how far each part advanced. It is a separate function so that all
// indexes stay in registers.
func strides(a, b, c, d *[stride]uint64) (i, j, p, q int) {
	for range stride {
		x, y := a[i&(stride-1)], b[j&(stride-1)]
		i += one(x <= y)
		j += one(y <= x)
		x, y = c[p&(stride-1)], d[q&(stride-1)]
		p += one(x <= y)
		q += one(y <= x)
	}
	return i, j, p, q
}

// one returns 1 for true. The compiler makes a flag of it instead of a jump.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// JaccardAtLeast compares two sets. ok reports whether float64(inter) / float64(union) >= t, and inter is the size of the
// intersection. It stops as soon as t is out of reach; inter is then the number found so far. Two empty sets are never
// near. It costs at most as much as IntersectSorted.
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
	return merge(a, b, Misses(len(a), len(b), t))
}

// Jaccard returns the Jaccard similarity of two sorted sets. For two empty sets it is 0.
func Jaccard(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	return jaccard(IntersectSorted(a, b), len(a)+len(b))
}

// Misses returns how many hashes may occur in only one of two sets of these sizes if their Jaccard similarity is at least
// t. If no sets of these sizes are that similar, the result is less than the difference of the sizes.
func Misses(m, n int, t float64) int { return m + n - 2*MinIntersection(m, n, t) }

func jaccard(inter, sizes int) float64 {
	return float64(inter) / float64(sizes-inter)
}

// LeastIntersection returns the smallest intersection that a set of n hashes has with any set whose Jaccard
// similarity with it is at least t.
func LeastIntersection(n int, t float64) int {
	if n == 0 {
		return 1
	}
	// The union is at least the set itself.
	need := min(int(t*float64(n)), n)
	for need > 0 && jaccard(need-1, n+need-1) >= t {
		need--
	}
	for need <= n && jaccard(need, n+need) < t {
		need++
	}
	return need
}

// MinIntersection returns the smallest intersection of two sets of these sizes whose Jaccard similarity is at least t. If
// there is none, it returns min(m, n)+1.
func MinIntersection(m, n int, t float64) int {
	if m+n == 0 {
		return 1
	}
	// The float may be off by a step or two, so the definition decides.
	need := max(min(int(t/(1+t)*float64(m+n)), min(m, n)+1), 0)
	for need > 0 && jaccard(need-1, m+n) >= t {
		need--
	}
	for need <= min(m, n) && jaccard(need, m+n) < t {
		need++
	}
	return need
}
