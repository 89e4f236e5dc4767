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

func order(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }

// allPairs compares all pairs, as the oracle.
func allPairs(a, b []uint64, k int, self bool) []Pair {
	var out []Pair
	for i, v := range a {
		for n, w := range b {
			if d := Distance(v, w); d <= k && (!self || i < n) {
				out = append(out, Pair{i, n, d})
			}
		}
	}
	return out
}

func selfJoin(tb testing.TB, fps []uint64, k, workers int, by *layout) []Pair {
	tb.Helper()
	s := &side{in: fps}
	return joined(tb, s, s, k, workers, by)
}

func joined(tb testing.TB, a, b *side, k, workers int, by *layout) (out []Pair) {
	tb.Helper()
	emit := func(p Pair) error { out = append(out, p); return nil }
	if err := runJoin(context.Background(), a, b, k, JoinOptions{Workers: workers}, emit, by); err != nil {
		tb.Fatal(err)
	}
	return out
}

// ways returns all layouts for a distance, and nil for the chosen one.
func ways(k int) (all []*layout) {
	for _, l := range allLayouts(k) {
		all = append(all, &l)
	}
	return append(all, nil)
}

func TestSelfJoinEqualsAllPairs(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 150
	}
	for k := 0; k <= MaxK; k++ {
		for _, shape := range shapes {
			fps := shape.make(rand.New(rand.NewPCG(uint64(k), 2)), n)
			want := allPairs(fps, fps, k, true)
			for _, by := range ways(k) {
				got := selfJoin(t, fps, k, 2, by)
				slices.SortFunc(got, order)
				if !slices.Equal(got, want) {
					t.Fatalf("k=%d, %s, %+v: %d pairs, want %d", k, shape.name, by, len(got), len(want))
				}
			}
		}
	}
}

func TestJoinEqualsAllPairs(t *testing.T) {
	for k := 0; k <= MaxK; k++ {
		for _, shape := range shapes {
			rng := rand.New(rand.NewPCG(uint64(k), 3))
			fps := shape.make(rng, 400)
			queries := append(shape.make(rng, 90), fps[:40]...)
			want := allPairs(queries, fps, k, false)
			for _, by := range ways(k) {
				got := joined(t, &side{in: queries}, &side{in: fps}, k, 0, by)
				slices.SortFunc(got, order)
				if !slices.Equal(got, want) {
					t.Fatalf("k=%d, %s, %+v: %d pairs, want %d", k, shape.name, by, len(got), len(want))
				}
			}
		}
	}
}

// A few queries, or a few fingerprints, take another way than many.
func TestJoinOfFewEqualsAllPairs(t *testing.T) {
	for _, shape := range shapes {
		rng := rand.New(rand.NewPCG(8, 3))
		many := shape.make(rng, 40_000)
		few := append(shape.make(rng, 5), many[:4]...)
		for _, c := range []struct{ queries, fps []uint64 }{{few, many}, {many, few}} {
			want := allPairs(c.queries, c.fps, 3, false)
			var got []Pair
			err := Join(context.Background(), c.queries, c.fps, 3, JoinOptions{},
				func(p Pair) error { got = append(got, p); return nil })
			slices.SortFunc(got, order)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %d pairs, want %d (%v)", shape.name, len(got), len(want), err)
			}
		}
	}
}

// Buckets of thousands of different queries and fingerprints are cut further.
func TestNearAcrossOfHotBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 4).Draw(t, "k")
		free := rapid.SampledFrom([]uint64{^uint64(0), 0xffffffff, 0xf0f0f, 0xfff}).Draw(t, "free")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		side := func(n int) []uint64 {
			v := fill64(n, func(int) uint64 { return rng.Uint64() & free & rng.Uint64() })
			slices.Sort(v)
			return slices.Compact(v)
		}
		v, w := side(600), side(500)
		want := len(allPairs(v, w, k, false))
		seen := map[[2]uint64]bool{}
		near(v, w, k, func(a, b uint64) {
			if seen[[2]uint64{a, b}] || Distance(a, b) > k {
				t.Fatalf("%x %x reported again or too far", a, b)
			}
			seen[[2]uint64{a, b}] = true
		})
		if len(seen) != want {
			t.Fatalf("%d pairs, want %d", len(seen), want)
		}
	})
}

// All values in one bucket of the first table, far from each other.
func TestJoinsOfOneHotBucket(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	fps := fill64(3000, func(int) uint64 { return rng.Uint64() &^ 0xffff })
	queries := fill64(2000, func(i int) uint64 { return fps[i] ^ 1<<rng.IntN(64) ^ 1<<rng.IntN(64) })
	for _, by := range []layout{probe(3, 4), probe(3, 3), choose(3, 5, 2)} {
		if got, want := selfJoin(t, fps, 3, 0, &by), allPairs(fps, fps, 3, true); len(got) != len(want) {
			t.Errorf("%s: %d pairs, want %d", by.name, len(got), len(want))
		}
		got := joined(t, &side{in: queries}, &side{in: fps}, 3, 0, &by)
		if want := allPairs(queries, fps, 3, false); len(got) != len(want) {
			t.Errorf("%s: %d pairs, want %d", by.name, len(got), len(want))
		}
	}
}

// Lists of more than one partition, in all kinds of layouts.
func TestSelfJoinOfManyPartitions(t *testing.T) {
	three := probe(3, 3)
	for _, shape := range shapes[:2] {
		fps := shape.make(rand.New(rand.NewPCG(6, 6)), 70_000)
		want := selfJoin(t, fps, 3, 0, &three)
		slices.SortFunc(want, order)
		for _, by := range []layout{probe(3, 4), choose(3, 5, 2)} {
			got := selfJoin(t, fps, 3, 2, &by)
			slices.SortFunc(got, order)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d pairs, want %d", shape.name, by.name, len(got), len(want))
			}
		}
	}
}

// More values than one partition, workers of any number: the same pairs in
// the same order.
func TestSelfJoinDoesNotDependOnWorkers(t *testing.T) {
	fps := shapes[1].make(rand.New(rand.NewPCG(5, 5)), 60_000)
	want := selfJoin(t, fps, 3, 1, nil)
	for _, workers := range []int{2, 3, 7} {
		if !slices.Equal(selfJoin(t, fps, 3, workers, nil), want) {
			t.Errorf("%d workers: other pairs or another order", workers)
		}
	}
	three := probe(3, 3)
	got := selfJoin(t, fps, 3, 0, &three)
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Errorf("probe:3 finds %d, the chosen layout %d", len(got), len(want))
	}
}

// Thousands of different values with the same key must be cut further.
func TestNearOfHotBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 4).Draw(t, "k")
		free := rapid.SampledFrom([]uint64{^uint64(0), 0xffffffff, 0xf0f0f, 0xfff}).Draw(t, "free")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		values := fill64(600, func(int) uint64 { return rng.Uint64() & free & rng.Uint64() })
		slices.Sort(values)
		values = slices.Compact(values)
		want := len(allPairs(values, values, k, true))
		seen := map[[2]uint64]bool{}
		near(values, values, k, func(a, b uint64) {
			key := [2]uint64{min(a, b), max(a, b)}
			if seen[key] || Distance(a, b) > k {
				t.Fatalf("%x reported again or too far", key)
			}
			seen[key] = true
		})
		if len(seen) != want {
			t.Fatalf("%d pairs, want %d", len(seen), want)
		}
	})
}

func TestSelfJoinGroupsCopies(t *testing.T) {
	fps := append(slices.Repeat([]uint64{7}, 300_000), 6, 6, 0xff<<40)
	var groups [][]int
	o := JoinOptions{Groups: func(at []int) error {
		groups = append(groups, []int{at[0], at[len(at)-1], len(at)})
		return nil
	}}
	var pairs []Pair
	if err := SelfJoin(t.Context(), fps, 3, o, func(p Pair) error { pairs = append(pairs, p); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	if got := fmt.Sprint(pairs, groups); got != "[{0 300000 1}] [[0 299999 300000] [300000 300001 2]]" {
		t.Error(got)
	}
}

func TestSelfJoinStops(t *testing.T) {
	fps := make([]uint64, 3000)
	stop := errors.New("enough")
	if err := SelfJoin(context.Background(), fps, 3, JoinOptions{}, func(Pair) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("emit's error became %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := SelfJoin(ctx, fps, 3, JoinOptions{}, func(Pair) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled join returned %v", err)
	}
	if err := SelfJoin(context.Background(), fps, 8, JoinOptions{}, nil); !errors.Is(err, ErrDistance) {
		t.Errorf("distance 8: %v", err)
	}
	if got := selfJoin(t, nil, 3, 0, nil); got != nil {
		t.Errorf("pairs of nothing: %v", got)
	}
}

func TestAllPairsKnownAnswers(t *testing.T) {
	for name, c := range knownAnswers(t).AllPairs {
		var fps []uint64
		for _, h := range c.Hashes {
			fps = append(fps, number(t, h, 16))
		}
		var got, want []string
		for _, p := range selfJoin(t, fps, 3, 0, nil) {
			a, b := fps[p.A], fps[p.B]
			got = append(got, fmt.Sprintf("%x %x", min(a, b), max(a, b)))
		}
		for _, p := range c.Pairs {
			a, b := number(t, p[0], 16), number(t, p[1], 16)
			want = append(want, fmt.Sprintf("%x %x", min(a, b), max(a, b)))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func ExampleSelfJoin() {
	fps := []uint64{0xff, 0x0f, 0xfe, 0xff}
	err := SelfJoin(context.Background(), fps, 1, JoinOptions{Workers: 1}, func(p Pair) error {
		fmt.Println(p.A, p.B, p.Distance)
		return nil
	})
	fmt.Println(err)
	// Unordered output:
	// 0 3 0
	// 0 2 1
	// 2 3 1
	// <nil>
}

func ExampleJoin() {
	err := Join(context.Background(), []uint64{0xf0}, []uint64{0xff, 0xf1}, 3, JoinOptions{}, func(p Pair) error {
		fmt.Println(p.A, p.B, p.Distance)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 0 1 1
	// <nil>
}

func BenchmarkSelfJoin(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	fps := fill64(1_000_000, func(int) uint64 { return rng.Uint64() })
	for _, k := range []int{3, 6} {
		b.Run(fmt.Sprintf("k%d/1000000", k), func(b *testing.B) {
			for b.Loop() {
				selfJoin(b, fps, k, 1, nil)
			}
		})
	}
}
