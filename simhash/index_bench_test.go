package simhash

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkIndex: one query and one insert at n loaded entries.
func BenchmarkIndex(b *testing.B) {
	for _, c := range []struct {
		k, n   int
		layout string
	}{
		{3, 1_000_000, "probe:4"},
		{3, 1_000_000, "probe:3"},
		{3, 1_000_000, "choose:5,2"},
		{6, 1_000_000, ""},
	} {
		b.Run(fmt.Sprintf("k%d/%d/%s", c.k, c.n, c.layout), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			x := newIndex(b, IndexOptions{K: c.k, Expect: c.n, Layout: c.layout})
			insertAll(b, x, fill64(c.n, func(int) uint64 { return rng.Uint64() }))
			var near []Neighbor
			id := uint64(c.n)
			for b.Loop() {
				fp := rng.Uint64()
				near, _ = x.Query(near[:0], fp, c.k)
				if err := x.Insert(id, fp); err != nil {
					b.Fatal(err)
				}
				id++
			}
		})
	}
}
