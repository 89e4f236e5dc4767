package image

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/neardup/neardup/internal/inorder"
)

// Pair holds the indexes of two hashes within the distance. In a self-join A < B. Otherwise A is an index of queries and B
// of hashes.
type Pair struct{ A, B, Distance int }

// ErrTooMany is returned for lists of 2^32-1 hashes or more.
var ErrTooMany = errors.New("too many hashes for one join")

// SelfJoin calls emit once for every pair of hashes within the distance, which must be at most MaxDistance. Neither the
// pairs nor their order depend on the number of workers; 0 means one per core. An error of emit or of the context ends the
// join.
//
// For each slot it sorts the hashes by the slot, and compares each bucket with itself and its neighbours. That takes 36
// bytes per hash in addition to the list. The time grows with the square of the number. A million hashes take 1/225 of the
// time of comparing all pairs (docs/images.md). Of n equal hashes it emits all pairs.
func SelfJoin(ctx context.Context, hashes []Hash, distance, workers int, emit func(Pair) error) error {
	side := &sorted{input: hashes}
	return runJoin(ctx, side, side, distance, workers, emit)
}

// Join calls emit for every query and hash within the distance of each other. It otherwise works like
// SelfJoin.
func Join(ctx context.Context, queries, hashes []Hash, distance, workers int, emit func(Pair) error) error {
	return runJoin(ctx, &sorted{input: queries}, &sorted{input: hashes}, distance, workers, emit)
}

func runJoin(ctx context.Context, a, b *sorted, distance, workers int, emit func(Pair) error) error {
	if err := checkDistance(distance); err != nil {
		return err
	}
	if n := max(len(a.input), len(b.input)); n >= math.MaxUint32 {
		return fmt.Errorf("%w: %d", ErrTooMany, n)
	}
	for slot := range slots {
		if radius(slot, distance) < 0 {
			break
		}
		a.sortBySlot(slot)
		if a != b {
			b.sortBySlot(slot)
		}
		if err := joinSlot(ctx, joiner{a, b, slot, distance}, workers, emit); err != nil {
			return err
		}
	}
	return nil
}

func checkDistance(distance int) error {
	if distance < 0 || distance > MaxDistance {
		return fmt.Errorf("distance %d: out of range (want 0 to %d)", distance, MaxDistance)
	}
	return nil
}

// joinSlot searches ranges of buckets in parallel and passes the pairs to emit.
func joinSlot(ctx context.Context, j joiner, workers int, emit func(Pair) error) error {
	const ranges, size, round = 256, slotKeys / 256, 32
	var found [round][]Pair
	for from := 0; from < ranges; from += round {
		err := inorder.Each(ctx, workers, round, func(i int) error {
			found[i] = j.buckets(found[i][:0], (from+i)*size, (from+i+1)*size)
			return nil
		})
		if err != nil {
			return err
		}
		for _, pairs := range found {
			for _, p := range pairs {
				if err := emit(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sorted holds hashes in the order of the keys of a slot.
type sorted struct {
	input   []Hash
	hashes  []Hash
	indexes []uint32
	starts  [slotKeys + 1]uint32
}

// sortBySlot sorts the hashes by a slot. Hashes with one key are ordered by their index.
func (s *sorted) sortBySlot(slot int) {
	if s.hashes == nil {
		s.hashes, s.indexes = make([]Hash, len(s.input)), make([]uint32, len(s.input))
	}
	var next [slotKeys + 1]uint32
	for i := range s.input {
		next[int(s.input[i].slot(slot))+1]++
	}
	for i := range slotKeys {
		next[i+1] += next[i]
	}
	s.starts = next
	for i, h := range s.input {
		at := &next[h.slot(slot)]
		s.hashes[*at], s.indexes[*at] = h, uint32(i)
		*at++
	}
}

func (s *sorted) bucket(key int) ([]Hash, []uint32) {
	from, to := s.starts[key], s.starts[key+1]
	return s.hashes[from:to], s.indexes[from:to]
}

type joiner struct {
	a, b           *sorted // a and b are the same list in a self-join
	slot, distance int
}

// buckets appends the pairs of a range of buckets with their neighbours.
func (j joiner) buckets(out []Pair, from, to int) []Pair {
	within := flips(j.slot, j.distance)
	for key := from; key < to; key++ {
		mine, indexes := j.a.bucket(key)
		if len(mine) == 0 {
			continue
		}
		for _, flip := range within {
			other := key ^ int(flip)
			if j.a == j.b && other < key {
				continue
			}
			theirs, theirIndexes := j.b.bucket(other)
			for i := range mine {
				first := 0
				if j.a == j.b && other == key {
					first = i + 1
				}
				for k := first; k < len(theirs); k++ {
					if firstMeet(&mine[i], &theirs[k], j.slot, j.distance) {
						out = append(out, j.pairOf(indexes[i], theirIndexes[k]))
					}
				}
			}
		}
	}
	return out
}

func (j joiner) pairOf(a, b uint32) Pair {
	p := Pair{int(a), int(b), j.a.input[a].Distance(j.b.input[b])}
	if j.a == j.b {
		p.A, p.B = min(p.A, p.B), max(p.A, p.B)
	}
	return p
}
