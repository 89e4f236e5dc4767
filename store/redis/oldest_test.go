package redis

import (
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
)

// TestOldest: how many entries may be left, by change number and time of the receipt.
func TestOldest(t *testing.T) {
	now := time.Now()
	at := func(d time.Duration) docid.Entry { return docid.Entry{Time: now.Add(d).UnixNano()} }
	past, recent, ahead := at(-2*time.Hour), at(-time.Minute), at(time.Hour)
	for _, c := range []struct {
		name    string
		entries []docid.Entry
		most    uint64
		want    int
	}{
		{"none", nil, 9, 0},
		{"all are old", []docid.Entry{past, past}, 9, 2},
		{"up to the first that is not", []docid.Entry{past, recent, past}, 9, 1},
		{"up to a change", []docid.Entry{past, past, past}, 2, 2},
		{"a clock that was ahead holds up none", []docid.Entry{past, ahead, past, recent}, 9, 3},
		{"nor where nothing else follows", []docid.Entry{ahead, ahead}, 9, 2},
	} {
		for i := range c.entries {
			c.entries[i].Seq = uint64(i + 1)
		}
		if got := oldest(c.entries, c.most, now.Add(-time.Hour)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
