package simhash

import (
	"context"
	"sync"

	"github.com/neardup/neardup/internal/inorder"
)

// side is a list of fingerprints, with a copy in the order of buckets.
type side struct {
	in     []uint64
	sorted []uint64
	start  []uint32 // bucket b is sorted[start[b]:start[b+1]]
}

func (s *side) bucket(b int) []uint64 { return s.sorted[s.start[b]:s.start[b+1]] }

// partition sorts the list by the low width bits of the table's key, in two passes. The first pass sorts the whole list by
// their high part. The second sorts each partition, which fits the cache.
func (s *side) partition(ctx context.Context, t *keyTable, width, workers int) error {
	low := min(width, partitionBits)
	parts := 1 << (width - low)
	if s.sorted == nil {
		s.sorted = make([]uint64, len(s.in))
	}
	if need := 1<<width + 1; cap(s.start) >= need {
		s.start = s.start[:need]
	} else {
		s.start = make([]uint32, need)
	}
	at, err := s.scatter(ctx, t, width, parts, workers)
	if err != nil {
		return err
	}
	s.start[1<<width] = uint32(len(s.in))
	scratches := sync.Pool{New: func() any { return new([]uint64) }}
	return parallel(ctx, workers, parts, func(p int) {
		scratch := scratches.Get().(*[]uint64)
		defer scratches.Put(scratch)
		from, to := at[p], at[p+1]
		*scratch = append((*scratch)[:0], s.sorted[from:to]...)
		scatter(t, *scratch, s.sorted[from:to], s.start[p<<low:(p+1)<<low], from)
	})
}

// scatter runs the first pass. It returns the starts of the partitions.
func (s *side) scatter(ctx context.Context, t *keyTable, width, parts, workers int) ([]uint32, error) {
	low := min(width, partitionBits)
	mask := uint64(parts - 1)
	counts := make([][]uint32, workers)
	piece := func(w int) []uint64 {
		return s.in[len(s.in)*w/workers : len(s.in)*(w+1)/workers]
	}
	if err := parallel(ctx, workers, workers, func(w int) {
		c := make([]uint32, parts)
		for _, v := range piece(w) {
			c[t.key(v)>>low&mask]++
		}
		counts[w] = c
	}); err != nil {
		return nil, err
	}
	return starts(counts), parallel(ctx, workers, workers, func(w int) {
		to, out := counts[w], s.sorted
		for _, v := range piece(w) {
			p := t.key(v) >> low & mask
			i := to[p]
			to[p] = i + 1
			out[i] = v
		}
	})
}

// scatter runs the second pass over one partition, a counting sort of in into out by the low bits of the key. It sets start
// to the starts of the buckets; out begins at base.
func scatter(t *keyTable, in, out []uint64, start []uint32, base uint32) {
	mask := uint64(len(start)-1) & (1<<partitionBits - 1)
	var next [1 << partitionBits]uint32
	for _, v := range in {
		next[t.key(v)&mask]++
	}
	sum := uint32(0)
	for b := range start {
		start[b] = base + sum
		next[b], sum = sum, sum+next[b]
	}
	for _, v := range in {
		b := t.key(v) & mask % (1 << partitionBits)
		out[next[b]] = v
		next[b]++
	}
}

// parallel calls fn for 0..n-1 from several goroutines and waits for all. If the context ends first, it returns the error
// of the context.
func parallel(ctx context.Context, workers, n int, fn func(i int)) error {
	return inorder.Each(ctx, workers, n, func(i int) error {
		fn(i)
		return nil
	})
}
