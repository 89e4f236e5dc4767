package docid

import (
	"testing"
	"time"
)

// TestBeyond: an epoch begins after what was seen and after the clock's numbers. It does not meet an unseen
// epoch that was lost shortly before.
func TestBeyond(t *testing.T) {
	now := numbersBegan.Add(1000 * time.Hour)
	clock := uint64(now.Sub(numbersBegan).Milliseconds()) * perMillisecond
	for _, x := range []struct {
		name       string
		seen, want uint64
	}{
		{"the clock is ahead", clock - 3*margin, clock},
		{"the clock is just ahead", clock - 1, clock},
		{"the clock is behind", clock + 7*margin, clock + 8*margin},
	} {
		if got := Beyond(x.seen, now); got < x.want || got >= x.want+margin {
			t.Errorf("%s: %d, want %d or a little more", x.name, got, x.want)
		}
	}
	for _, year := range []int{2094, 2096, 2200, 9999} { // the clock is far ahead
		far := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if got := Beyond(clock, far); got <= clock || got > mostByClock {
			t.Errorf("in the year %d after %d: %d", year, clock, got)
		}
	}
	for n := range uint64(1000) { // restored twice from one backup
		seen, later := clock-1-n*n*n, now.Add(time.Duration(n+1)*time.Millisecond)
		if lost, next := Beyond(seen, now), Beyond(seen, later); next < lost+(n+1)*perMillisecond {
			t.Errorf("after %d an epoch began at %d, and one %d ms later at %d", seen, lost, n+1, next)
		}
	}
	const given = 500 // numbers of an epoch that was lost
	met := 0
	for range 10000 {
		lost := Beyond(clock*2, now)
		now = now.Add(137_911 * time.Microsecond)
		if next := Beyond(clock*2, now); next < lost+given && lost < next+given {
			met++
		}
	}
	if met > 40 {
		t.Errorf("%d of 10000 epochs gave numbers of the one that was lost before them", met)
	}
}
