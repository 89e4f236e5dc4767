package arrow

import (
	"math"
	"testing"
)

// Every float of 16 bits has the value of IEEE 754: a sign, 5 bits of an exponent, and 10 of a
// fraction.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		exponent, fraction := bits>>10&31, bits&1023
		want := math.Ldexp(float64(1024+fraction), exponent-25)
		switch {
		case exponent == 0:
			want = math.Ldexp(float64(fraction), -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		}
		if bits>>15 != 0 {
			want = -want
		}
		got := half(uint16(bits))
		if both := math.IsNaN(got) && math.IsNaN(want); !both && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%#x: got %g, want %g", bits, got, want)
		}
	}
}
