package evidence

import (
	"math/bits"

	"github.com/neardup/neardup/internal/intlog"
	"github.com/neardup/neardup/token"
)

// logs are the binary logarithms of 1 + i/256, in units of 1/65536.
var logs = func() (t [257]int64) {
	ln2 := intlog.Ln(2)
	for i := range t {
		t[i] = (intlog.Ln(uint64(256+i)) - 8*ln2) << 14 / (ln2 >> 2) // below 2^62
	}
	return t
}()

// log2 is the binary logarithm of n/Unit in units of 1/Unit, 0 for n < Unit.
func log2(n uint64) int32 {
	if n < token.Unit {
		return 0
	}
	whole := bits.Len64(n) - 1
	rest := n << (63 - whole) << 1 // the fraction, in units of 2^-64
	i := rest >> 56
	part := logs[i] + (logs[i+1]-logs[i])*int64(rest>>40&0xffff)>>16
	return int32((int64(whole-8)<<16 + part) >> 8)
}

// logit is the binary logarithm of held to lacking, held within 1 to 63 parts of
// 64 either way, in units of 1/Unit.
func logit(total, lacking uint64) int32 {
	if total == 0 {
		return 0
	}
	lacking = min(max(lacking, total/64), total-total/64)
	held := total - lacking
	return log2(held<<8) - log2(max(1, lacking)<<8)
}
