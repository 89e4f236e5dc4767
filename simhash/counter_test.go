package simhash

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// naive computes the fingerprint by definition: one signed counter a bit, wide enough for anything.
func naive(features []Weighted, tie Tie) uint64 {
	var fp uint64
	for b := range 64 {
		sum := new(big.Int)
		for _, f := range features {
			w := big.NewInt(f.Weight)
			if f.Hash>>b&1 == 0 {
				w.Neg(w)
			}
			sum.Add(sum, w)
		}
		if s := sum.Sign(); s > 0 || (s == 0 && tie == TieOne) {
			fp |= 1 << b
		}
	}
	return fp
}

func TestCounterEqualsDefinition(t *testing.T) {
	weight := rapid.OneOf(
		rapid.Int64Range(0, 5), rapid.Int64Range(-3, 3), rapid.Int64(),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 1 << 62, -1 << 62}))
	rapid.Check(t, func(t *rapid.T) {
		features := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Weighted {
			return Weighted{rapid.Uint64().Draw(t, "hash"), weight.Draw(t, "weight")}
		}), 0, 150).Draw(t, "features")
		cut := rapid.IntRange(0, len(features)).Draw(t, "cut")
		var c Counter
		c.Add([]uint64{1, 2, 3}) // Reset must forget it
		c.Reset()
		c.AddWeighted(features[:cut])
		c.AddWeighted(features[cut:])
		for _, tie := range []Tie{TieZero, TieOne} {
			if got, want := c.Fingerprint(tie), naive(features, tie); got != want {
				t.Fatalf("tie %d: %016x, want %016x", tie, got, want)
			}
		}
	})
}

func TestCounterOfUnitWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 700).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		mask := rapid.SampledFrom([]uint64{^uint64(0), 3, 0}).Draw(t, "mask")
		hashes, features := make([]uint64, n), make([]Weighted, n)
		for i := range hashes {
			hashes[i] = rng.Uint64() | ^mask&rng.Uint64()
			features[i] = Weighted{hashes[i], 1}
		}
		var c Counter
		for rest := hashes; len(rest) > 0; {
			cut := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			c.Add(rest[:cut])
			rest = rest[cut:]
		}
		for _, tie := range []Tie{TieZero, TieOne} {
			if got, want := c.Fingerprint(tie), naive(features, tie); got != want {
				t.Fatalf("n=%d tie %d: %016x, want %016x", n, tie, got, want)
			}
		}
		if Of(hashes) != c.Fingerprint(TieZero) || OfWeighted(features) != Of(hashes) {
			t.Fatal("Of, OfWeighted and Counter disagree")
		}
	})
}

func TestCounterOfNothing(t *testing.T) {
	var c Counter
	c.AddWeighted([]Weighted{{Hash: 7, Weight: 0}})
	if c.Fingerprint(TieZero) != 0 || c.Fingerprint(TieOne) != ^uint64(0) {
		t.Error("no weight: all ties expected")
	}
}

func ExampleOf() {
	fmt.Printf("%x\n", Of([]uint64{0xabcd, 0xbcde, 0xcdef}))
	// Output: adcf
}

func ExampleOfWeighted() {
	fp := OfWeighted([]Weighted{{Hash: 0b0011, Weight: 2}, {Hash: 0b0101, Weight: 1}})
	fmt.Printf("%04b\n", fp)
	// Output: 0011
}

func ExampleDistance() {
	fmt.Println(Distance(0xdeadbeef, 0xdeadbead))
	// Output: 2
}

func BenchmarkCounter(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint64, 4096)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	for _, n := range []int{8, 64, 256, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n)) // one hash counted as one byte: MB/s = million hashes/s
			for b.Loop() {
				Of(hashes[:n])
			}
		})
	}
}
