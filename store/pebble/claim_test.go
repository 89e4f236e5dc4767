package pebble

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
)

// feeder is a sink that counts what several relays deliver. It holds the first delivery so long that another
// relay could start.
type feeder struct {
	mu    sync.Mutex
	at    uint64
	got   int
	in    int  // relays that currently feed it
	many  bool // two fed it at once
	first sync.Once
}

// feeds is 20 times the interval at which a relay looks, and less than a lease.
const feeds = 2 * time.Second

func (f *feeder) Close() error { return nil }

func (f *feeder) Cursor(context.Context, string) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, nil
}

func (f *feeder) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	f.enter(1)
	defer f.enter(-1)
	f.first.Do(func() {
		for end := time.Now().Add(feeds); time.Now().Before(end) && !f.twice(); {
			time.Sleep(5 * time.Millisecond)
		}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got += len(ds)
	f.at = ds[len(ds)-1].Seq
	return nil
}

func (f *feeder) enter(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.in += n
	f.many = f.many || f.in > 1
}

func (f *feeder) twice() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.many
}

func (f *feeder) has(t *testing.T, seq uint64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if at, _ := f.Cursor(t.Context(), ""); at >= seq {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the sink does not get change %d", seq)
		}
	}
}

// TestOneFeeds checks that one of several servers over a log feeds a sink, so every change arrives once. If
// that server stops, another continues.
func TestOneFeeds(t *testing.T) {
	log, f := storetest.Begin(t, storetest.NewLog()), &feeder{}
	var stops []context.CancelFunc
	var running sync.WaitGroup
	var s server
	for range 3 {
		var err error
		s, err = serve(t, vfs.NewMem(), log)
		ok(t, err)
		relay, err := s.Relay(t.Context(), "rows", f)
		ok(t, err)
		ctx, stop := context.WithCancel(t.Context())
		stops = append(stops, stop)
		running.Go(func() { _ = relay.Run(ctx) }) // ends with ctx
	}
	n := 0
	for _, stop := range stops {
		for range 20 {
			n++
			_, err := s.add(t, fmt.Sprint(n), storetest.Base(n))
			ok(t, err)
		}
		f.has(t, uint64(n))
		stop()
	}
	running.Wait()
	if f.got != n || f.many {
		t.Errorf("%d changes were brought %d times, by two at once: %v", n, f.got, f.many)
	}
}

// TestClaim checks that only its holder can use a lease until it is released or expires, on every server.
func TestClaim(t *testing.T) {
	log := storetest.Begin(t, storetest.NewLog())
	var boxes []docid.Index
	for range 2 {
		s, err := serve(t, vfs.NewMem(), log)
		ok(t, err)
		boxes = append(boxes, s.Index())
	}
	for i, step := range []struct {
		who  string
		long time.Duration
		wait time.Duration
		want bool
	}{
		{who: "a", long: time.Minute, want: true},
		{who: "b", long: time.Minute},
		{who: "b"}, // releases a lease that it does not hold
		{who: "b", long: time.Minute},
		{who: "a", long: 50 * time.Millisecond, want: true},
		{who: "b", long: 50 * time.Millisecond, wait: 100 * time.Millisecond, want: true},
		{who: "a", long: time.Minute},
		{who: "b"},
		{who: "a", long: time.Minute, want: true},
	} {
		time.Sleep(step.wait)
		box := boxes[int(step.who[0]-'a')]
		_, err := box.Outbox().Attached(t.Context()) // waits for the entries of the other server
		ok(t, err)
		if got, err := box.Outbox().Claim(t.Context(), "rows", step.who, step.long); err != nil || got != step.want {
			t.Errorf("step %d: %s is told %v, %v; want %v", i, step.who, got, err, step.want)
		}
	}
}
