package docid

import "time"

// An epoch begins at least margin numbers after the last one seen, because another server may have seen more.
// Each millisecond since a fixed day also has perMillisecond numbers of its own. So a later epoch begins after
// a lost one even if no surviving process has seen that. (48 bits of numbers last for 130 years. If the clock
// goes back, the margin remains.)
//
// If epochs follow each other faster, their numbers run ahead of the clock. Then its microseconds distinguish a
// lost epoch from its successor: of a thousand such pairs that gave 500 numbers each, one overlaps.
const (
	margin         = 1 << 20
	perMillisecond = 64
	perMicrosecond = 16
	// mostByClock bounds the clock, 70 years. A clock in the far future would use up the numbers, which have 48
	// bits wherever they are stored.
	mostByClock = 1 << 47
)

var numbersBegan = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Beyond returns a number past all given so far, of which seen is one. An epoch begins after it.
func Beyond(seen uint64, now time.Time) uint64 {
	since := max(0, now.Sub(numbersBegan))
	spread := uint64(since.Microseconds()) * perMicrosecond % margin
	byClock := uint64(since.Milliseconds()) * perMillisecond
	if byClock > mostByClock {
		byClock = 0
	}
	return max(seen+margin+spread, byClock)
}
