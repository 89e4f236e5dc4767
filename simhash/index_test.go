package simhash

import (
	"cmp"
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

func byID(a, b Neighbor) int { return cmp.Compare(a.ID, b.ID) }

// scan returns all fingerprints within k bits, with positions as ids, as the oracle.
func scan(fps []uint64, fp uint64, k int) []Neighbor {
	var out []Neighbor
	for id, v := range fps {
		if d := Distance(v, fp); d <= k {
			out = append(out, Neighbor{uint64(id), v, d})
		}
	}
	return out
}

func newIndex(tb testing.TB, o IndexOptions) *Index {
	tb.Helper()
	x, err := NewIndex(o)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func insertAll(tb testing.TB, x *Index, fps []uint64) {
	tb.Helper()
	for id, fp := range fps {
		if err := x.Insert(uint64(id), fp); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestIndexEqualsScan(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it is concurrent")
	}
	const n = 800
	for k := 0; k <= MaxK; k++ {
		for _, name := range layoutNames(k) {
			for _, shape := range shapes {
				rng := rand.New(rand.NewPCG(uint64(k), 1))
				fps := shape.make(rng, n)
				x := newIndex(t, IndexOptions{K: k, Layout: name})
				insertAll(t, x, fps)
				for q := range 40 {
					fp := fps[rng.IntN(n)] ^ 1<<rng.IntN(64)&^uint64(q&1)
					for _, ask := range []int{k, k / 2} {
						got, err := x.Query(nil, fp, ask)
						slices.SortFunc(got, byID)
						if want := scan(fps, fp, ask); err != nil || !slices.Equal(got, want) {
							t.Fatalf("%s, %s, k=%d, query %x: got %d, want %d (%v)",
								name, shape.name, ask, fp, len(got), len(want), err)
						}
					}
				}
			}
		}
	}
}

// Random inserts, compared with a list.
func TestIndexEqualsList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, MaxK).Draw(t, "k")
		name := rapid.SampledFrom(layoutNames(k)).Draw(t, "layout")
		x, err := NewIndex(IndexOptions{K: k, Layout: name})
		if err != nil {
			t.Fatal(err)
		}
		var list []Neighbor
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		spread := rapid.SampledFrom([]uint64{3, 0xff, 0xffff, ^uint64(0)}).Draw(t, "spread")
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			id, fp := rng.Uint64N(50), rng.Uint64()&spread
			if err := x.Insert(id, fp); err != nil {
				t.Fatal(err)
			}
			list = append(list, Neighbor{ID: id, Fingerprint: fp})
		}
		order := func(a, b Neighbor) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Fingerprint, b.Fingerprint))
		}
		slices.SortFunc(list, order)
		if x.Len() != len(list) {
			t.Fatalf("%d entries, want %d", x.Len(), len(list))
		}
		queries := []uint64{rng.Uint64() & spread}
		for _, e := range list {
			queries = append(queries, e.Fingerprint) // so that every entry is wanted once
		}
		for _, fp := range queries {
			got, _ := x.Query(nil, fp, k)
			slices.SortFunc(got, order)
			var want []Neighbor
			for _, e := range list {
				if d := Distance(e.Fingerprint, fp); d <= k {
					want = append(want, Neighbor{e.ID, e.Fingerprint, d})
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("query: got %v, want %v", got, want)
			}
		}
	})
}

func TestIndexOfCopiesStaysSmall(t *testing.T) {
	x := newIndex(t, IndexOptions{K: 3})
	for id := range uint64(100_000) {
		if err := x.Insert(id, 42); err != nil {
			t.Fatal(err)
		}
	}
	if x.Distinct() != 1 || x.Len() != 100_000 || x.Bytes() > 4<<20 {
		t.Errorf("%d fingerprints, %d entries, %d bytes", x.Distinct(), x.Len(), x.Bytes())
	}
}

func TestIndexRefuses(t *testing.T) {
	for _, o := range []IndexOptions{
		{K: -1}, {K: 8}, {K: 3, Layout: "choose:5,3"},
	} {
		if _, err := NewIndex(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	if _, err := newIndex(t, IndexOptions{K: 3}).Query(nil, 0, 4); err == nil {
		t.Error("an index for 3 answered for 4")
	}
}

func TestLayoutChoice(t *testing.T) {
	for k := 0; k <= MaxK; k++ {
		for _, n := range []int{1e4, 1e6, 1e7, 1e8} {
			free := newIndex(t, IndexOptions{K: k, Expect: n})
			t.Logf("k=%d n=%d: %s", k, n, free.Layout())
		}
	}
}

func ExampleIndex() {
	x, err := NewIndex(IndexOptions{K: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, fp := range []uint64{0xff, 0xfe, 0xffff} {
		if err := x.Insert(uint64(id), fp); err != nil {
			fmt.Println(err)
			return
		}
	}
	near, err := x.Query(nil, 0xff, 3)
	fmt.Println(near, err)
	// Output:
	// [{0 255 0} {1 254 1}] <nil>
}
