package tier_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/harness"
)

// away is how long MySQL and HBase are away, NEARDUP_AWAY, and rate how many
// requests come a second meanwhile, NEARDUP_TEST_RATE.
func away() (time.Duration, int) {
	long, err := time.ParseDuration(os.Getenv("NEARDUP_AWAY"))
	if err != nil {
		long = 4 * time.Second
	}
	rate, err := strconv.Atoi(os.Getenv("NEARDUP_TEST_RATE"))
	if err != nil {
		rate = 100
	}
	return long, rate
}

// sinksAway takes MySQL and HBase away at once while requests come at a constant rate:
// nothing is lost, every decision is made, and what waited is stored afterwards. It
// logs the times before and meanwhile, and how fast the queue went.
func sinksAway(t *testing.T, b *backends) {
	l := newLife(t, b, "away", seed())
	long, rate := away()
	l.requests(min(long/2, 20*time.Second), rate) // caches and connections
	before := l.requests(min(long/2, 20*time.Second), rate)
	gone := append([]*proxy{l.mysql}, l.gates...)
	for _, p := range gone {
		p.refusing.Store(true)
		p.cut()
	}
	meanwhile := l.requests(long, rate)
	log, err := l.servers[0].reach().Log(t.Context())
	if err != nil || len(log) == 0 {
		t.Fatalf("log: %v", err)
	}
	for _, p := range gone {
		p.refusing.Store(false)
	}
	begin := time.Now()
	l.waitSinks(log[len(log)-1].Seq, long+patience)
	took := time.Since(begin)
	t.Logf("before: %s; away for %s: %s; stored within %s: %.1f times as fast as they came",
		before, long, meanwhile, took.Round(time.Millisecond), float64(long)/float64(took))
	if meanwhile.failed > 0 {
		t.Errorf("%d of %d requests were not answered while MySQL and HBase were away: %v", meanwhile.failed, meanwhile.failed+len(meanwhile.took), meanwhile.why)
	}
	l.audit(&counts{kinds: map[string]int{}})
}

// times are how long requests took that were answered, and how many were not.
type times struct {
	mu     sync.Mutex
	took   []time.Duration
	failed int
	why    error // the first of them
	late   int   // requests that began after they were due
}

func (s *times) String() string {
	slices.Sort(s.took)
	at := func(q float64) string {
		if len(s.took) == 0 {
			return "-"
		}
		return s.took[int(q*float64(len(s.took)-1))].Round(100 * time.Microsecond).String()
	}
	return strconv.Itoa(len(s.took)) + " answers, p50 " + at(.5) + ", p99 " + at(.99) + ", " + strconv.Itoa(s.failed) + " failed, " +
		strconv.Itoa(s.late) + " begun late"
}

// requests has all clients together send at a rate for a time.
func (l *life) requests(long time.Duration, rate int) *times {
	s := &times{}
	each := time.Second * clients / time.Duration(rate)
	end := time.Now().Add(long)
	var sending sync.WaitGroup
	for n, c := range l.clients {
		sending.Go(func() {
			for due := time.Now().Add(each * time.Duration(n) / clients); due.Before(end); due = due.Add(each) {
				wait := time.Until(due)
				time.Sleep(wait)
				begin := time.Now()
				ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
				err := c.Once(ctx, l.servers[n%len(l.servers)].reach())
				cancel()
				s.add(time.Since(begin), wait < 0, err)
				if err != nil && !errors.Is(err, harness.ErrUnknown) {
					l.t.Error(err)
					return
				}
			}
		})
	}
	sending.Wait()
	return s
}

func (s *times) add(took time.Duration, late bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if late {
		s.late++
	}
	if err != nil {
		s.failed++
		s.why = cmp.Or(s.why, err)
		return
	}
	s.took = append(s.took, took)
}
