package feature_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/feature"
)

// hashes generates hashes spread evenly, with repeats, and numbers that are
// not spread at all.
func hashes() *rapid.Generator[[]uint64] {
	return rapid.Custom(func(t *rapid.T) []uint64 {
		n := rapid.IntRange(0, 500).Draw(t, "n")
		keep := rapid.SampledFrom([]uint64{1<<64 - 1, 0xff << 56, 0xff, 3<<62 | 0xf}).Draw(t, "keep")
		x := rapid.Uint64().Draw(t, "x")
		out := make([]uint64, n)
		for i := range out {
			out[i] = splitmix(&x) & keep
		}
		return out
	})
}

func TestSetSortsAndDropsRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hashes().Draw(t, "hashes")
		want := slices.Clone(h)
		slices.Sort(want)
		want = slices.Compact(want)
		if got := feature.Set(h); !slices.Equal(got, want) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

// overlapping returns two sets that may share much or little.
func overlapping(t *rapid.T) (a, b []uint64) {
	pool := feature.Set(hashes().Draw(t, "pool"))
	pick := func(name string) []uint64 {
		share := rapid.IntRange(0, 100).Draw(t, name)
		x := rapid.Uint64().Draw(t, name+" seed")
		var out []uint64
		for _, h := range pool {
			if splitmix(&x)%100 < uint64(share) {
				out = append(out, h)
			}
		}
		return out
	}
	return pick("a"), pick("b")
}

func intersect(a, b []uint64) int {
	n := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

func TestIntersectSortedEqualsTheLoopOfLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := overlapping(t)
		if got, want := feature.IntersectSorted(a, b), intersect(a, b); got != want {
			t.Fatalf("got %d, want %d of %x and %x", got, want, a, b)
		}
	})
}

func TestJaccardAtLeastEqualsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := overlapping(t)
		inter := intersect(a, b)
		j := float64(inter) / float64(len(a)+len(b)-inter)
		for _, at := range []float64{0, 0.01, 0.5, 0.7, 0.8, 0.95, 1, j} {
			want := len(a) > 0 && len(b) > 0 && j >= at
			got, ok := feature.JaccardAtLeast(a, b, at)
			if ok != want || (ok && got != inter) {
				t.Fatalf("at %v: got %d %v, want %d %v (sizes %d, %d)",
					at, got, ok, inter, want, len(a), len(b))
			}
		}
	})
}

func TestOverlapIsTheSmallestThatIsEnough(t *testing.T) {
	for m := range 40 {
		for n := range 40 {
			for _, at := range []float64{0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1} {
				want := 0
				for want <= min(m, n) && (m+n == 0 || float64(want)/float64(m+n-want) < at) {
					want++
				}
				if got := feature.MinIntersection(m, n, at); got != want {
					t.Fatalf("MinIntersection(%d, %d, %v) = %d, want %d", m, n, at, got, want)
				}
			}
		}
	}
}

func TestLeastIntersectionIsThatWithAnySet(t *testing.T) {
	for n := range 60 {
		for _, at := range []float64{0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1} {
			want := max(n, 1)
			for m := 1; m <= 12*n; m++ {
				if need := feature.MinIntersection(n, m, at); need <= min(m, n) { // else no set of m is near
					want = min(want, need)
				}
			}
			if got := feature.LeastIntersection(n, at); got != want {
				t.Fatalf("LeastIntersection(%d, %v) = %d, want %d", n, at, got, want)
			}
		}
	}
}

func BenchmarkSet(b *testing.B) {
	for _, n := range []int{10, 100, 3000, 100000} {
		for name, sort := range map[string]func([]uint64){
			"radix": func(h []uint64) { feature.Set(h) },
			"std":   func(h []uint64) { slices.Sort(h) },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				from, h := make([]uint64, n), make([]uint64, n)
				x := uint64(1)
				for i := range from {
					from[i] = splitmix(&x)
				}
				for b.Loop() {
					copy(h, from)
					sort(h)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/hash")
			})
		}
	}
}

func BenchmarkIntersectSorted(b *testing.B) {
	const n = 3000
	x := uint64(1)
	var sets [2][]uint64
	for range n {
		h := splitmix(&x)
		for i := range sets {
			if splitmix(&x)%10 > 0 {
				sets[i] = append(sets[i], h)
			}
		}
	}
	u, v := feature.Set(sets[0]), feature.Set(sets[1])
	for b.Loop() {
		feature.IntersectSorted(u, v)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(len(u)+len(v))), "ns/hash")
}
