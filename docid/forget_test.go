package docid_test

import (
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
)

// A clock that was ahead temporarily, by years even, keeps no idempotency key longer than the ones around it,
// and drops none earlier.
func TestForgetAfterTheClockWasAhead(t *testing.T) {
	day, began := 24*time.Hour, time.Unix(1_800_000_000, 0)
	at := func(d time.Duration) int64 { return began.Add(d).UnixNano() }
	for name, c := range map[string]struct {
		times []time.Duration // of changes 1, 2, ...
		now   time.Duration   // keys are kept for a day
		want  uint64
	}{
		"a clock that is right":            {[]time.Duration{0, 1, 2 * day}, 2 * day, 2},
		"nothing is old":                   {[]time.Duration{day, day + 1}, 2 * day, 0},
		"ahead for one change":             {[]time.Duration{0, 3650 * day, 1, 2 * day}, 2*day + 1, 3},
		"ahead, and nothing old after it":  {[]time.Duration{0, 3650 * day, 2 * day}, 2*day + 1, 1},
		"ahead at the end":                 {[]time.Duration{0, 1, 3650 * day}, 2 * day, 2},
		"set back, behind what is not old": {[]time.Duration{2 * day, 0}, 2 * day, 0},
	} {
		var entries []docid.Entry
		for i, d := range c.times {
			entries = append(entries, docid.Entry{Seq: uint64(i + 1), Time: at(d)})
		}
		now := began.Add(c.now)
		if got := docid.OldChange(entries, 0, now.Add(-day), now); got != c.want {
			t.Errorf("%s: old are the changes up to %d, want %d", name, got, c.want)
		}
	}
}
