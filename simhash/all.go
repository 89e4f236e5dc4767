package simhash

import (
	"context"
	"math/bits"
	"slices"
)

// scanAllLimit is how many comparisons with each fingerprint cost what one table
// costs.
const scanAllLimit = 8

// scanAll compares all queries with all fingerprints: the quickest for a few
// of either. Pairs come in the order of the longer list.
func (j *joiner) scanAll(ctx context.Context) error {
	short, long, queriesLong := j.a.in, j.b.in, false
	if len(short) > len(long) {
		short, long, queriesLong = long, short, true
	}
	const piece = 1 << 14
	pieces := (len(long) + piece - 1) / piece
	const round = 64
	out := make([][]Pair, round)
	for from := 0; from < pieces; from += round {
		n := min(round, pieces-from)
		if err := parallel(ctx, j.workers, n, func(i int) {
			at := (from + i) * piece
			out[i] = within(out[i][:0], short, long[at:min(at+piece, len(long))], at, j.k)
		}); err != nil {
			return err
		}
		for _, p := range slices.Concat(out[:n]...) {
			if queriesLong {
				p.A, p.B = p.B, p.A
			}
			if err := j.emit(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// within appends the pairs of a piece of the longer list that starts at base.
func within(out []Pair, short, long []uint64, base, k int) []Pair {
	for b, v := range long {
		for a, q := range short {
			if d := bits.OnesCount64(q ^ v); d <= k {
				out = append(out, Pair{a, base + b, d})
			}
		}
	}
	return out
}
