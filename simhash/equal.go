package simhash

import (
	"context"
	"math/bits"
	"slices"
	"sync"
)

// This file implements a self-join by a table of radius 0, which only compares values with equal keys. The first pass
// divides the list into partitions by a hash of the key. The second pass processes one partition at a time, which fits the
// cache: it sorts the partition by further bits of the hash and compares neighbours.

// hasher computes bucket numbers from the masked bits of a value.
type hasher struct {
	mask uint64
	part uint // bits of the partition number
	low  uint // further bits, for the bucket in a partition
}

const golden = 0x9e3779b97f4a7c15

func (h hasher) partition(v uint64) uint64 { return v & h.mask * golden >> (64 - h.part) }

func (h hasher) bucket(v uint64) uint64 {
	return v & h.mask * golden << h.part >> (64 - h.low)
}

// Few partitions make the first pass fast, and small ones the second. Up to 32M values, a partition has about 2^15 values
// (256 KB), and its bucket numbers take 64 KB.
const (
	partitionSizeBits = 15
	mostPartitionBits = 11
	mostBucketBits    = 14
)

func newHasher(mask uint64, n int) hasher {
	size := bits.Len(uint(n))
	part := max(0, min(size-partitionSizeBits, mostPartitionBits))
	return hasher{mask, uint(part), uint(max(1, min(size-part, mostBucketBits)))}
}

// equalKeys joins by one table of radius 0.
func (j *joiner) equalKeys(ctx context.Context, n int) error {
	t := &j.layout.tables[n]
	h := newHasher(t.mask, len(j.a.in))
	at, err := j.a.spread(ctx, h, j.workers)
	if err != nil {
		return err
	}
	works := sync.Pool{New: func() any { return &equalWork{next: make([]uint32, 1<<h.low+1)} }}
	s := scanner{joiner: j, number: n, table: t}
	return j.rounds(ctx, 1<<h.part, func(p int) []valuePair {
		w := works.Get().(*equalWork)
		defer works.Put(w)
		return w.scan(&s, h, j.a.sorted[at[p]:at[p+1]])
	})
}

// spread runs the first pass. It returns the starts of the partitions.
func (s *side) spread(ctx context.Context, h hasher, workers int) ([]uint32, error) {
	if s.sorted == nil {
		s.sorted = make([]uint64, len(s.in))
	}
	piece := func(w int) []uint64 {
		return s.in[len(s.in)*w/workers : len(s.in)*(w+1)/workers]
	}
	counts := make([][]uint32, workers)
	if err := parallel(ctx, workers, workers, func(w int) {
		c := make([]uint32, 1<<h.part)
		for _, v := range piece(w) {
			c[h.partition(v)]++
		}
		counts[w] = c
	}); err != nil {
		return nil, err
	}
	at := starts(counts)
	return at, parallel(ctx, workers, workers, func(w int) { h.scatter(piece(w), s.sorted, counts[w]) })
}

// starts converts the counts of each partition by worker into start offsets. It returns the starts of the partitions.
func starts(counts [][]uint32) []uint32 {
	at := make([]uint32, len(counts[0])+1)
	sum := uint32(0)
	for p := range counts[0] {
		at[p] = sum
		for w := range counts {
			counts[w][p], sum = sum, sum+counts[w][p]
		}
	}
	at[len(at)-1] = sum
	return at
}

// scatter moves values to their partitions in out, one by one. With at most 2^11 partitions that is faster than collecting
// lines of 8 values first.
func (h hasher) scatter(in, out []uint64, to []uint32) {
	for _, v := range in {
		p := h.partition(v)
		i := to[p]
		to[p] = i + 1
		out[i] = v
	}
}

// equalWork holds the buffers of a worker in the second pass.
type equalWork struct {
	values []uint64 // the values of a partition, by bucket
	next   []uint32 // end of each bucket
	todo   []uint32 // buckets to compare
}

// near3 is the number of following values that a value is compared with. Larger buckets are compared separately.
const near3 = 3

// scan returns the pairs of a partition that this table reports.
func (w *equalWork) scan(s *scanner, h hasher, in []uint64) []valuePair {
	w.sort(h, in)
	w.compare(s.k, h)
	slices.Sort(w.todo)
	w.todo = slices.Compact(w.todo)
	var out []valuePair
	for _, b := range w.todo {
		from := uint32(0)
		if b > 0 {
			from = w.next[b-1]
		}
		if same := w.values[from:w.next[b]]; anyWithin(same, s.k) {
			out = s.inside(out, same)
		}
	}
	return out
}

// sort sorts a partition by bucket (counting sort), and adds large buckets to todo.
func (w *equalWork) sort(h hasher, in []uint64) {
	if cap(w.values) < len(in) {
		w.values = make([]uint64, len(in), len(in)+len(in)/4)
	}
	w.values, w.todo = w.values[:len(in)], w.todo[:0]
	next := w.next
	clear(next)
	for _, v := range in {
		next[h.bucket(v)+1]++
	}
	for b := 1; b < len(next); b++ {
		if next[b] > near3+1 {
			w.todo = append(w.todo, uint32(b-1))
		}
		next[b] += next[b-1]
	}
	for _, v := range in {
		b := h.bucket(v)
		w.values[next[b]] = v
		next[b]++
	}
}

// compare compares neighbouring values, whatever their buckets are.
func (w *equalWork) compare(k int, h hasher) {
	v := w.values
	for ; len(v) > near3; v = v[1:] {
		a := v[0]
		if bits.OnesCount64(a^v[1]) <= k || bits.OnesCount64(a^v[2]) <= k || bits.OnesCount64(a^v[3]) <= k {
			w.todo = append(w.todo, uint32(h.bucket(a)))
		}
	}
	if len(v) > 0 && anyWithin(v, k) {
		for _, a := range v {
			w.todo = append(w.todo, uint32(h.bucket(a)))
		}
	}
}
