package redis

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/storetest"
)

// TestFull: a Redis without memory takes no article, keeps what it has, and takes
// articles again once the sinks have got what waited for them.
func TestFull(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	if err != nil {
		t.Fatal(err)
	}
	box := d.Index().Outbox()
	if _, err := box.Attach(ctx, "rows"); err != nil {
		t.Fatal(err)
	}
	noise := func(n int) string { // large, and hard to compress
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "%x ", (n*20_000+i)*2654435761%1_000_003)
		}
		return b.String()
	}
	add := func(n int) (docid.Answer, error) {
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint("nid", n), noise(n)
		return d.Add(ctx, sub)
	}
	limit := func(bytes int) {
		t.Helper()
		if err := s.c.Do(ctx, s.c.B().ConfigSet().ParameterValue().ParameterValue("maxmemory", fmt.Sprint(bytes)).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	limit(20 << 20)
	taken := 0
	for ; taken < 200; taken++ {
		if _, err = add(taken); err != nil {
			break
		}
	}
	if !errors.Is(err, docid.ErrFull) || taken == 0 {
		t.Fatalf("after %d articles: %v", taken, err)
	}
	st, err := d.Stats(ctx)
	if err != nil || int(st.Seq) != taken || st.Members != taken {
		t.Fatalf("%d answers, but %+v (%v)", taken, st, err)
	}
	if a, err := add(0); err != nil || !a.Replayed {
		t.Errorf("a retry: %+v, %v", a, err)
	}
	if _, err := d.Delete(ctx, "nid1"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := box.Acknowledge(ctx, "rows", st.Seq); err != nil {
		t.Errorf("acknowledge: %v", err)
	}
	if _, err := add(taken); err != nil {
		t.Errorf("after there was room: %v", err)
	}
}

// TestEvicted: a Redis that was told to evict keys while servers run decides nothing
// more once it has, whatever it is told then.
func TestEvicted(t *testing.T) {
	ctx := t.Context()
	server, s := opened(t)
	d := detect(t, s)
	if _, err := submit(ctx, d, "before", 1); err != nil {
		t.Fatal(err)
	}
	for n := range 100 { // something to evict beside the index, which stays whole
		admin(t, server, "SET", fmt.Sprint("other", n), strings.Repeat("x", 10_000), "EX", "1000")
	}
	admin(t, server, "CONFIG", "SET", "maxmemory-policy", "volatile-lru", "maxmemory", "1800000")
	for end := time.Now().Add(time.Minute); strings.Contains(admin(t, server, "INFO", "stats"), "evicted_keys:0\r"); {
		if time.Now().After(end) {
			t.Fatal("nothing is evicted")
		}
		admin(t, server, "SET", "more", "x")
	}
	admin(t, server, "CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "0")
	if a, err := submit(ctx, d, "after", 2); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("an article after keys were evicted: %+v, %v", a, err)
	}
	if _, err := d.Delete(ctx, "before"); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("a deletion after keys were evicted: %v", err)
	}
}
