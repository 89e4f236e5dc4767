package image_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/image"
)

// scattered returns random hashes, and for each tenth a few near it, at distances around the largest.
func scattered(seed uint64, n int) []image.Hash {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]image.Hash, 0, n)
	for len(list) < n {
		h := image.Hash{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		list = append(list, h)
		for range r.IntN(10) / 3 {
			near := h
			for _, bit := range r.Perm(image.Bits)[:r.IntN(image.MaxDistance+4)] {
				near[bit/64] ^= 1 << (bit % 64)
			}
			list = append(list, near)
		}
	}
	return list[:n]
}

func byPlace(a, b image.Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }

// The oracle is brute force, at every kind of radius.
func TestJoinsFindEveryPair(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 300
	}
	ctx, list, queries := context.Background(), scattered(1, n), scattered(1, n/2)
	for _, distance := range []int{0, 1, 14, 15, 16, 20, 30, 31} {
		var self, across []image.Pair
		for i, a := range list {
			for j, b := range list[:i] {
				if d := a.Distance(b); d <= distance {
					self = append(self, image.Pair{A: j, B: i, Distance: d})
				}
			}
		}
		for i, a := range queries {
			for j, b := range list {
				if d := a.Distance(b); d <= distance {
					across = append(across, image.Pair{A: i, B: j, Distance: d})
				}
			}
		}
		slices.SortFunc(self, byPlace)
		if distance == 31 && len(self) < n/3 {
			t.Fatalf("only %d pairs to be found", len(self))
		}
		var orders [2][]image.Pair
		for i, workers := range []int{1, 3} {
			collect := func(p image.Pair) error { orders[i] = append(orders[i], p); return nil }
			if err := image.SelfJoin(ctx, list, distance, workers, collect); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(orders[0], orders[1]) {
			t.Errorf("distance %d: another order by three workers", distance)
		}
		slices.SortFunc(orders[0], byPlace)
		if !slices.Equal(orders[0], self) {
			t.Errorf("distance %d: %d pairs, want %d", distance, len(orders[0]), len(self))
		}
		var got []image.Pair
		if err := image.Join(ctx, queries, list, distance, 0, func(p image.Pair) error { got = append(got, p); return nil }); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, byPlace)
		if !slices.Equal(got, across) {
			t.Errorf("distance %d: %d pairs of two lists, want %d", distance, len(got), len(across))
		}
	}
}

// The reference's list of hashes and its queries, against brute force.
func TestHaystack(t *testing.T) {
	lines := func(name string) (list []image.Hash) {
		for line := range strings.Lines(string(read(t, name))) {
			list = append(list, parse(t, strings.TrimSpace(line)))
		}
		return list
	}
	hay, needles := lines("pdq/haystack.txt"), lines("pdq/needles.txt")
	want, got := map[image.Pair]bool{}, map[image.Pair]bool{}
	for i, a := range needles {
		for j, b := range hay {
			if d := a.Distance(b); d <= image.MaxDistance {
				want[image.Pair{A: i, B: j, Distance: d}] = true
			}
		}
	}
	err := image.Join(context.Background(), needles, hay, image.MaxDistance, 2, func(p image.Pair) error { got[p] = true; return nil })
	if err != nil || len(want) == 0 || len(got) != len(want) {
		t.Fatalf("%d of %d pairs, %v", len(got), len(want), err)
	}
	for p := range want {
		if !got[p] {
			t.Errorf("%v is not found", p)
		}
	}
}

func TestJoinEnds(t *testing.T) {
	list, none := make([]image.Hash, 9), func(image.Pair) error { return nil }
	for _, distance := range []int{-1, image.MaxDistance + 1} {
		if err := image.SelfJoin(context.Background(), list, distance, 1, none); err == nil {
			t.Errorf("distance %d is taken", distance)
		}
	}
	stop := errors.New("enough")
	if err := image.SelfJoin(context.Background(), list, 3, 1, func(image.Pair) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of emit", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := image.SelfJoin(ctx, list, 3, 1, none); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestParseHash(t *testing.T) {
	const known = "d8f8f0cce0f4a84f0e370a22028f67f0b36e2ed596623e1d33e6b39c4e9c9b22"
	h := parse(t, known)
	if h.String() != known || h[0]&1 != 0 || h[0]&2 == 0 || h[3]>>63 != 1 {
		t.Errorf("%v read as %#x", known, [4]uint64(h))
	}
	for _, bad := range []string{"", known[1:], known + "00", strings.Repeat("x", 64)} {
		if _, err := image.ParseHash(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func BenchmarkSelfJoin(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		list := scattered(7, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if err := image.SelfJoin(context.Background(), list, image.MaxDistance, 1, func(image.Pair) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
