package simhash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Neighbor is a result of a query.
type Neighbor struct {
	At          int // position in the list
	Fingerprint uint64
	Distance    int
}

// Index finds all fingerprints of a list within k bits of another. Equal fingerprints share an entry in its tables. Each
// table takes 8 to 16 bytes per distinct fingerprint. Concurrent queries are safe.
type Index struct {
	layout layout
	sides  []side     // the distinct fingerprints, by the key of each table
	flips  [][]uint64 // for each table: the changes of a bucket number within its radius
	places positions
}

// ErrDistance is returned if a distance is out of range.
var ErrDistance = errors.New("distance: out of range")

// Costs of an index in nanoseconds, measured on one core of a server of 2024. Only their ratios matter.
const (
	probeCost     = 30.0  // access to a random cache line
	candidateCost = 0.8   // a comparison in a loaded cache line
	tableCost     = 150.0 // each further table
)

// NewIndex returns the index of a list for distances up to k, 0..MaxK.
func NewIndex(ctx context.Context, fps []uint64, k, workers int) (*Index, error) {
	if len(fps) >= math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d", ErrTooMany, len(fps))
	}
	places := placesOf(fps)
	n := len(places.values)
	l, err := cheapest(k, func(l *layout) (sum float64) {
		for i := range l.tables {
			width := bucketBits(&l.tables[i], n)
			sum += tableCost + float64(len(l.tables[i].flips))*(probeCost+candidateCost*math.Ldexp(float64(n), -width))
		}
		return sum
	})
	if err != nil {
		return nil, fmt.Errorf("hamming index: %w", err)
	}
	return newIndex(ctx, places, l, workers)
}

func newIndex(ctx context.Context, places positions, l layout, workers int) (*Index, error) {
	x := &Index{layout: l, sides: make([]side, len(l.tables)), places: places}
	for i := range l.tables {
		t, s := &l.tables[i], &x.sides[i]
		width := bucketBits(t, len(places.values))
		s.in = places.values
		if err := s.partition(ctx, t, width, max(workers, 1)); err != nil {
			return nil, err
		}
		x.flips = append(x.flips, flips(width, t.radius))
	}
	return x, nil
}

func placesOf(fps []uint64) (p positions) {
	p.at = make([]uint32, len(fps))
	for i := range p.at {
		p.at[i] = uint32(i)
	}
	slices.SortFunc(p.at, func(a, b uint32) int { return cmp.Or(cmp.Compare(fps[a], fps[b]), cmp.Compare(a, b)) })
	for i, at := range p.at {
		if i == 0 || fps[at] != p.values[len(p.values)-1] {
			p.values, p.start = append(p.values, fps[at]), append(p.start, uint32(i))
		}
	}
	p.start = append(p.start, uint32(len(fps)))
	return p
}

// Query appends all entries within k bits of fp to dst, in no particular order and without repetitions. k must be at most
// that of the index.
func (x *Index) Query(dst []Neighbor, fp uint64, k int) ([]Neighbor, error) {
	if k < 0 || k > x.layout.k {
		return dst, fmt.Errorf("%w: %d (want 0 to %d)", ErrDistance, k, x.layout.k)
	}
	for n := range x.sides {
		t, s := &x.layout.tables[n], &x.sides[n]
		own := t.key(fp) & uint64(len(s.start)-2)
		for _, flip := range x.flips[n] {
			for _, v := range s.bucket(int(own ^ flip)) {
				d := Distance(v, fp)
				if d > k || !t.meets(v^fp) || !x.layout.first(n, v^fp) {
					continue
				}
				for _, at := range x.places.of(v) {
					dst = append(dst, Neighbor{int(at), v, d})
				}
			}
		}
	}
	return dst, nil
}
