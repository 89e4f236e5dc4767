package docid

import "time"

// Each millisecond since a fixed day has perMillisecond numbers of its own. An epoch begins with the numbers of its moment.
// So it begins after every earlier epoch, including one that was lost and that no surviving process knows. (48 bits of
// numbers last for 130 years.)
//
// If the clock went back, or numbers were given faster, seen may be ahead of the clock. Then the epoch begins at least
// margin numbers after seen, because another server may have seen more. The microseconds of the clock distinguish a lost
// epoch from its successor. If both gave 500 numbers, these overlap in one of a thousand cases.
const (
	margin         = 1 << 20
	perMillisecond = 64
	perMicrosecond = 16
	// mostByClock limits the numbers that the clock may reach, in 70 years. A clock in the far future would use up the
	// numbers, which have 48 bits wherever they are stored.
	mostByClock = 1 << 47
)

var numbersBegan = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Beyond returns a number that is greater than all numbers given so far. seen is one of these. An epoch begins after the
// result.
func Beyond(seen uint64, now time.Time) uint64 {
	since := uint64(max(0, now.Sub(numbersBegan)).Microseconds())
	byClock := since * perMillisecond / 1000
	if seen < byClock && byClock <= mostByClock {
		return byClock
	}
	return seen + margin + since*perMicrosecond%margin
}
