package redis

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
)

// feeder is a sink that several relays feed, and counts what it gets. What it gets
// first it keeps for so long that whoever else may feed it comes meanwhile.
type feeder struct {
	mu    sync.Mutex
	at    uint64
	got   int
	in    int  // who is feeding it
	many  bool // two fed it at once
	first sync.Once
}

// feeds is twenty times as long as a relay waits before it looks again, and less than
// a claim holds.
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

// TestOneFeeds: of several servers one feeds a sink, so that every change is brought
// once; when that one stops another goes on.
func TestOneFeeds(t *testing.T) {
	_, s := opened(t)
	f := &feeder{}
	var stops []context.CancelFunc
	var running sync.WaitGroup
	var d *docid.Detector
	for range 3 {
		d = detect(t, s)
		relay, err := d.Relay(t.Context(), "rows", f)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stops = append(stops, stop)
		running.Go(func() { _ = relay.Run(ctx) }) // ends with ctx
	}
	n := 0
	for _, stop := range stops {
		for range 20 {
			n++
			if _, err := submit(t.Context(), d, fmt.Sprint(n), n); err != nil {
				t.Fatal(err)
			}
		}
		f.has(t, uint64(n))
		stop()
	}
	running.Wait()
	if f.got != n || f.many {
		t.Errorf("%d changes were brought %d times, by two at once: %v", n, f.got, f.many)
	}
}

// TestClaim: a claim holds until it is given up or was not renewed, and only for who has it.
func TestClaim(t *testing.T) {
	_, s := opened(t)
	box := detect(t, s).Index().Outbox()
	for i, step := range []struct {
		who  string
		long time.Duration
		wait time.Duration
		want bool
	}{
		{who: "a", long: time.Minute, want: true},
		{who: "b", long: time.Minute},
		{who: "b"}, // it gives up what it does not have
		{who: "b", long: time.Minute},
		{who: "a", long: 50 * time.Millisecond, want: true},
		{who: "b", long: time.Minute, wait: 100 * time.Millisecond, want: true},
		{who: "a", long: time.Minute},
		{who: "b"},
		{who: "a", long: time.Minute, want: true},
	} {
		time.Sleep(step.wait)
		if got, err := box.Claim(t.Context(), "rows", step.who, step.long); err != nil || got != step.want {
			t.Errorf("step %d: %s is told %v, %v; want %v", i, step.who, got, err, step.want)
		}
	}
}
