package docid

import "time"

// Each millisecond since a fixed day has perMillisecond numbers of its own. An epoch begins with those of its
// moment, so it begins after every earlier one, also after one that was lost and that no surviving process has
// seen. (48 bits of numbers last for 130 years.)
//
// If the clock went back, or numbers were given faster, seen may be ahead of the clock. An epoch then begins at
// least margin numbers after it, because another server may have seen more. The microseconds of the clock distinguish a
// lost epoch from its successor. If both gave 500 numbers, their numbers overlap in one of a thousand cases.
const (
	margin         = 1 << 20
	perMillisecond = 64
	perMicrosecond = 16
	// mostByClock bounds the clock, 70 years. A clock in the far future would use up the numbers, which have 48
	// bits wherever they are stored.
	mostByClock = 1 << 47
)

var numbersBegan = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Beyond returns a number greater than all given so far, of which seen is one. An epoch begins after it.
func Beyond(seen uint64, now time.Time) uint64 {
	since := uint64(max(0, now.Sub(numbersBegan)).Microseconds())
	byClock := since * perMillisecond / 1000
	if seen < byClock && byClock <= mostByClock {
		return byClock
	}
	return seen + margin + since*perMicrosecond%margin
}
