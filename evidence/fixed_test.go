package evidence

import (
	"math"
	"testing"

	"github.com/neardup/neardup/token"
)

// log2 and logit match their names; log2 never falls, logit never rises.
func TestLogarithms(t *testing.T) {
	last := int32(-1)
	for n := uint64(token.Unit); n < 1<<20; n += 1 + n/700 {
		got, want := float64(log2(n))/token.Unit, math.Log2(float64(n)/token.Unit)
		if math.Abs(got-want) > .01 {
			t.Fatalf("log2(%d) = %v, want %v", n, got, want)
		}
		if log2(n) < last {
			t.Fatalf("log2 falls at %d", n)
		}
		last = log2(n)
	}
	last = math.MaxInt32
	for lacking := uint64(0); lacking <= 20000; lacking += 7 {
		got := logit(20000, lacking)
		held, lacks := float64(20000-lacking)/token.Unit, float64(lacking)/token.Unit
		if want := math.Log2((held + .5) / (lacks + .5)); math.Abs(float64(got)/token.Unit-want) > .02 {
			t.Fatalf("logit(20000, %d) = %v, want %v", lacking, float64(got)/token.Unit, want)
		}
		if got > last {
			t.Fatalf("logit rises at %d", lacking)
		}
		last = got
	}
}
