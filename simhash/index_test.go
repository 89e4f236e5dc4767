package simhash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// shapes are the kinds of fingerprints that a search must survive.
var shapes = []struct {
	name string
	make func(rng *rand.Rand, n int) []uint64
}{
	{"random", func(rng *rand.Rand, n int) []uint64 {
		return fill64(n, func(int) uint64 { return rng.Uint64() })
	}},
	{"clustered", func(rng *rand.Rand, n int) []uint64 {
		centre := rng.Uint64()
		return fill64(n, func(i int) uint64 {
			if i%20 == 0 {
				centre = rng.Uint64()
			}
			fp := centre
			for range rng.IntN(9) {
				fp ^= 1 << rng.IntN(64)
			}
			return fp
		})
	}},
	{"identical", func(rng *rand.Rand, n int) []uint64 {
		few := []uint64{0, ^uint64(0), 1, rng.Uint64(), rng.Uint64()}
		return fill64(n, func(int) uint64 { return few[rng.IntN(len(few))] })
	}},
	{"one block", func(rng *rand.Rand, n int) []uint64 {
		return fill64(n, func(int) uint64 { return rng.Uint64() & 0xff00ff })
	}},
	{"small numbers", func(_ *rand.Rand, n int) []uint64 {
		return fill64(n, func(i int) uint64 { return uint64(i) })
	}},
}

func fill64(n int, fn func(i int) uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = fn(i)
	}
	return out
}

func byPlace(a, b Neighbor) int { return cmp.Compare(a.At, b.At) }

// scan returns all fingerprints within k bits, as the oracle.
func scan(fps []uint64, fp uint64, k int) []Neighbor {
	var out []Neighbor
	for at, v := range fps {
		if d := Distance(v, fp); d <= k {
			out = append(out, Neighbor{at, v, d})
		}
	}
	return out
}

func indexOf(tb interface{ Fatal(...any) }, fps []uint64, l layout) *Index {
	x, err := newIndex(context.Background(), placesOf(fps), l, 2)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func TestIndexEqualsScan(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it is concurrent")
	}
	const n = 800
	for k := 0; k <= MaxK; k++ {
		for _, by := range allLayouts(k) {
			for _, shape := range shapes {
				rng := rand.New(rand.NewPCG(uint64(k), 1))
				fps := shape.make(rng, n)
				x := indexOf(t, fps, by)
				for q := range 40 {
					fp := fps[rng.IntN(n)] ^ 1<<rng.IntN(64)&^uint64(q&1)
					for _, ask := range []int{k, k / 2} {
						got, err := x.Query(nil, fp, ask)
						slices.SortFunc(got, byPlace)
						if want := scan(fps, fp, ask); err != nil || !slices.Equal(got, want) {
							t.Fatalf("%s, %s, k=%d, query %x: got %d, want %d (%v)",
								by.name, shape.name, ask, fp, len(got), len(want), err)
						}
					}
				}
			}
		}
	}
}

// Any list, queried by its own fingerprints and by another.
func TestIndexEqualsList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, MaxK).Draw(t, "k")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		spread := rapid.SampledFrom([]uint64{3, 0xff, 0xffff, ^uint64(0)}).Draw(t, "spread")
		fps := fill64(rapid.IntRange(0, 400).Draw(t, "fingerprints"), func(int) uint64 { return rng.Uint64() & spread })
		x := indexOf(t, fps, rapid.SampledFrom(allLayouts(k)).Draw(t, "layout"))
		for _, fp := range append(fps, rng.Uint64()&spread) {
			got, err := x.Query(nil, fp, k)
			slices.SortFunc(got, byPlace)
			if want := scan(fps, fp, k); err != nil || !slices.Equal(got, want) {
				t.Fatalf("query: got %v, want %v, %v", got, want, err)
			}
		}
	})
}

// Copies share one place, so other queries of their bucket are not slowed down.
func TestIndexOfCopiesStaysSmall(t *testing.T) {
	x, err := NewIndex(t.Context(), fill64(100_000, func(int) uint64 { return 42 }), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := x.Query(nil, 43, 3); err != nil || len(got) != 100_000 || len(x.sides[0].sorted) != 1 {
		t.Errorf("%d found, %d in a table, %v", len(got), len(x.sides[0].sorted), err)
	}
}

func TestIndexRefuses(t *testing.T) {
	for _, k := range []int{-1, 8} {
		if _, err := NewIndex(t.Context(), nil, k, 1); !errors.Is(err, ErrDistance) {
			t.Errorf("distance %d: %v", k, err)
		}
	}
	if _, err := indexOf(t, nil, probe(3, 4)).Query(nil, 0, 4); !errors.Is(err, ErrDistance) {
		t.Errorf("an index for 3 answered for 4: %v", err)
	}
}

func ExampleIndex() {
	x, err := NewIndex(context.Background(), []uint64{0xff, 0xfe, 0xffff}, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	near, err := x.Query(nil, 0xff, 3)
	fmt.Println(near, err)
	// Output:
	// [{0 255 0} {1 254 1}] <nil>
}
