package intlog

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestLnIsTheLogarithm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Min(1).Draw(t, "n")
		got := math.Ldexp(float64(Ln(n)), -Bits)
		if want := math.Log(float64(n)); math.Abs(got-want) > 4e-14 {
			t.Fatalf("Ln(%d) = %.17g, want %.17g", n, got, want)
		}
	})
}

// ln(a)+ln(b) = ln(ab), within the error of the three.
func TestLnOfAProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint64Range(1, 1<<31).Draw(t, "a")
		b := rapid.Uint64Range(1, 1<<31).Draw(t, "b")
		if d := Ln(a) + Ln(b) - Ln(a*b); d < -4 || d > 4 {
			t.Fatalf("Ln(%d)+Ln(%d)-Ln(product) = %d units", a, b, d)
		}
	})
}

// These values are stored in fingerprints: they must never change.
func TestLnIsFixed(t *testing.T) {
	for n, want := range map[uint64]int64{0: 0, 1: 0, 2: 195103586505167, 3: 309231868366896, 10: 648120085424802} {
		if got := Ln(n); got != want {
			t.Errorf("Ln(%d) = %d, want %d", n, got, want)
		}
	}
	exact, _ := new(big.Float).SetString("0.6931471805599453094172321214581765680755001343602552")
	exact.SetMantExp(exact, 64)
	if got, _ := exact.Uint64(); got != ln2 {
		t.Errorf("ln2 = %#x, want %#x", uint64(ln2), got)
	}
}

func ExampleLn() {
	fmt.Printf("%.6f\n", math.Ldexp(float64(Ln(1000)), -Bits))
	// Output: 6.907755
}

func BenchmarkLn(b *testing.B) {
	for i := range b.N {
		Ln(uint64(i))
	}
}
