package simhash

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkIndex(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	fps := fill64(1_000_000, func(int) uint64 { return rng.Uint64() })
	for _, k := range []int{3, 6} {
		b.Run(fmt.Sprintf("k%d/%d", k, len(fps)), func(b *testing.B) {
			x, err := NewIndex(b.Context(), fps, k, 1)
			if err != nil {
				b.Fatal(err)
			}
			var near []Neighbor
			for b.Loop() {
				near, _ = x.Query(near[:0], rng.Uint64(), k)
			}
		})
	}
}
