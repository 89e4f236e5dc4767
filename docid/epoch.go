package docid

import "time"

// An epoch begins past what was seen by so many numbers at least, for others may
// have seen more. And so many numbers are set aside for each millisecond since a
// day: an epoch that was lost as a whole, with what it gave to others, lies before
// one that begins later even where nobody who is left has seen it. (48 bits of
// numbers last for 130 years. A clock that goes back leaves the margin.)
//
// Where epochs follow each other faster than that, their numbers run ahead of the
// clock. Then its microseconds are what tells an epoch that was lost as a whole from
// the one in its place: of a thousand such pairs that gave 500 numbers each, one meets.
const (
	margin         = 1 << 20
	perMillisecond = 64
	perMicrosecond = 16
	// mostByClock is how far a clock is believed, 70 years: one that stands in the far future
	// would use up the numbers, which have 48 bits wherever they are kept.
	mostByClock = 1 << 47
)

var numbersBegan = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Beyond is a number past all that were given by now, of which one was seen: an epoch begins after it.
func Beyond(seen uint64, now time.Time) uint64 {
	since := max(0, now.Sub(numbersBegan))
	spread := uint64(since.Microseconds()) * perMicrosecond % margin
	byClock := uint64(since.Milliseconds()) * perMillisecond
	if byClock > mostByClock {
		byClock = 0
	}
	return max(seen+margin+spread, byClock)
}
