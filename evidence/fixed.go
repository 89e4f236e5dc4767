package evidence

import (
	"math"
	"math/bits"

	"github.com/neardup/neardup/token"
)

// logs are the binary logarithms of 1 + i/256, in units of 1/65536.
var logs = func() (t [257]int64) {
	for i := range t {
		t[i] = int64(math.Round(math.Log2(1+float64(i)/256) * (1 << 16)))
	}
	return t
}()

// log2 returns the binary logarithm of n/Unit in units of 1/Unit, or 0 for n < Unit.
func log2(n uint64) int32 {
	if n < token.Unit {
		return 0
	}
	whole := bits.Len64(n) - 1
	rest := n << (63 - whole) << 1 // the fractional part, in units of 2^-64
	i := rest >> 56
	part := logs[i] + (logs[i+1]-logs[i])*int64(rest>>40&0xffff)>>16
	return int32((int64(whole-8)<<16 + part) >> 8)
}

// logit returns log2((held + .5) / (lacking + .5)) for weights in units of 1/Unit bits, in units of 1/Unit.
func logit(total, lacking uint64) int32 {
	lacking = min(lacking, total)
	return log2((2*(total-lacking)+token.Unit)<<8) - log2((2*lacking+token.Unit)<<8)
}
