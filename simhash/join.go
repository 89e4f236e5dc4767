package simhash

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
)

// Pair holds two positions whose fingerprints are within k bits. In a self-join A < B. In a Join A is a position in the
// queries.
type Pair struct {
	A, B     int
	Distance int
}

// JoinOptions are options of a join. The zero value uses all cores.
type JoinOptions struct {
	Workers int // 0 means one per core
	// Groups, if set, is called with the positions of each set of equal fingerprints, in ascending order. Pairs then only
	// name the first position of a group, so c copies cost c instead of c*c/2. It applies to SelfJoin only. The callee may
	// use the slice until it returns.
	Groups func(positions []int) error
}

// ErrTooMany is returned for lists of 2^32-1 fingerprints or more.
var ErrTooMany = errors.New("too many fingerprints for one join")

// SelfJoin calls emit for every pair of fingerprints within k bits, once. The pairs and their order do not depend on the
// workers. An error of emit or of the context ends the join and is returned.
//
// For each table of a layout the list is partitioned by key in two passes, and neighbours within a bucket are compared. It
// needs 8 bytes per fingerprint in addition to the input, the memory for the pairs of one round and, if unequal keys are
// compared, up to 64 MB of offsets. Time is linear in practice (docs/benchmarks.md). Equal fingerprints are compared once,
// whatever their number, but all pairs of their positions are emitted, unless Groups is set.
func SelfJoin(ctx context.Context, fps []uint64, k int, o JoinOptions, emit func(Pair) error) error {
	s := &side{in: fps}
	return runJoin(ctx, s, s, k, o, emit, nil)
}

// Up to fewQueries queries, a scan of all fingerprints is faster than tables.
const fewQueries = 64

// Join calls emit once for every query and fingerprint within k bits of each other. Otherwise it works like SelfJoin. It
// compares a few queries with all fingerprints, one after the other.
func Join(ctx context.Context, queries, fps []uint64, k int, o JoinOptions, emit func(Pair) error) error {
	if len(queries) <= fewQueries && k >= 0 && k <= MaxK {
		return scanAll(ctx, queries, fps, k, emit)
	}
	return runJoin(ctx, &side{in: queries}, &side{in: fps}, k, o, emit, nil)
}

func scanAll(ctx context.Context, queries, fps []uint64, k int, emit func(Pair) error) error {
	for a, q := range queries {
		if err := ctx.Err(); err != nil {
			return err
		}
		for b, fp := range fps {
			if d := Distance(q, fp); d <= k {
				if err := emit(Pair{a, b, d}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// runJoin joins by a layout, or by the cheapest one if it is nil.
func runJoin(ctx context.Context, a, b *side, k int, o JoinOptions, emit func(Pair) error, by *layout) error {
	if max(len(a.in), len(b.in)) >= math.MaxUint32 {
		return fmt.Errorf("%w: %d", ErrTooMany, max(len(a.in), len(b.in)))
	}
	j := &joiner{
		k: k, a: a, b: b, emit: emit, groups: o.Groups,
		workers: o.Workers, limit: max(1<<18, len(b.in)/32),
	}
	if j.workers <= 0 {
		j.workers = runtime.GOMAXPROCS(0)
	}
	if by == nil {
		l, err := cheapest(k, func(l *layout) (sum float64) {
			for i := range l.tables {
				sum += j.cost(&l.tables[i])
			}
			return sum
		})
		if err != nil {
			return fmt.Errorf("hamming join: %w", err)
		}
		j.layout = l
	} else {
		j.layout = *by
	}
	if len(a.in) == 0 || len(b.in) == 0 {
		return nil
	}
	for t := range j.layout.tables {
		if err := j.table(ctx, t); err != nil {
			return err
		}
	}
	return j.flush(ctx)
}

type joiner struct {
	layout  layout
	k       int
	a, b    *side // a and b are the same in a self-join
	emit    func(Pair) error
	groups  func([]int) error
	workers int
	found   []valuePair // pairs that were not passed to emit yet
	limit   int         // largest length of found
	lookup  valueTable
	ofA     positions // positions of the values in found
	ofB     positions
}

// valuePair is a pair of fingerprints. Their positions are looked up later.
type valuePair struct{ a, b uint64 }

// partitionBits is the number of bits of a bucket number that the second pass sorts by. The first pass makes partitions,
// for example 2048 for 2^22 buckets.
const partitionBits = 11

// bucketBits returns the width of the bucket numbers of a table for n values. There are about four values per bucket, and
// at most 64 MB of offsets.
func bucketBits(t *keyTable, n int) int {
	return max(min(t.bits, bits.Len(uint(n))-2, 24), 1)
}

// table joins by one table of the layout.
func (j *joiner) table(ctx context.Context, n int) error {
	t := &j.layout.tables[n]
	if j.a == j.b && t.radius == 0 {
		return j.equalKeys(ctx, n)
	}
	width := bucketBits(t, max(len(j.a.in), len(j.b.in)))
	if err := j.b.partition(ctx, t, width, j.workers); err != nil {
		return err
	}
	if j.a != j.b {
		if err := j.a.partition(ctx, t, width, j.workers); err != nil {
			return err
		}
	}
	s := scanner{
		joiner: j, number: n, table: t, width: width,
		flips: flips(width, t.radius),
	}
	return j.rounds(ctx, 1<<max(width-partitionBits, 0), s.partition)
}

// rounds collects the pairs of partitions, in order, and passes them to emit whenever there are many.
func (j *joiner) rounds(ctx context.Context, parts int, pairs func(p int) []valuePair) error {
	const round = 64 // partitions between two checks of the limit
	out := make([][]valuePair, round)
	for from := 0; from < parts; from += round {
		n := min(round, parts-from)
		if err := parallel(ctx, j.workers, n, func(i int) { out[i] = pairs(from + i) }); err != nil {
			return err
		}
		for _, found := range out[:n] {
			j.found = append(j.found, found...)
		}
		if len(j.found) >= j.limit {
			if err := j.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Costs of the join in nanoseconds per fingerprint, as in index.go.
const (
	partitionCost = 9.0
	compareCost   = 0.6
	pairingCost   = 1.5 // comparing two adjacent buckets
	equalCost     = 9.0 // both passes and the comparisons, if only equal keys are compared
	hotBucketCost = 1.5 // each further value in a bucket
)

func (j *joiner) cost(t *keyTable) float64 {
	a, b := float64(len(j.a.in)), float64(len(j.b.in))
	if j.a == j.b && t.radius == 0 {
		h := newHasher(t.mask, len(j.a.in))
		return a * (equalCost + hotBucketCost*math.Ldexp(a, -min(t.bits, int(h.part+h.low))))
	}
	width := bucketBits(t, max(len(j.a.in), len(j.b.in)))
	buckets := math.Ldexp(1, width)
	partners := float64(len(flips(width, t.radius)))
	return partitionCost*(a+b) + partners*(compareCost*a*b/buckets+pairingCost*min(buckets, a))
}
