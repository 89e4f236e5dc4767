package docid_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/memory"
)

// epochSink records how many epochs began up to each change.
type epochSink struct {
	at     uint64
	epochs map[uint64]int
}

func (s *epochSink) Cursor(context.Context, string) (uint64, error) { return s.at, nil }
func (s *epochSink) Close() error                                   { return nil }
func (s *epochSink) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	for _, d := range ds {
		s.epochs[d.Seq], s.at = d.Epochs, d.Seq
	}
	return nil
}

// TestEpochsOfOthers: a relay counts an epoch that another server began and delivered earlier, because
// timestamps depend on it.
func TestEpochsOfOthers(t *testing.T) {
	ctx := t.Context()
	store, err := memory.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	sink := &epochSink{epochs: map[uint64]int{}}
	var servers [2]*docid.Detector
	var relays [2]*docid.Relay
	for i := range servers {
		servers[i], err = docid.NewDetector(ctx, store, "tenant", storetest.Settings())
		if err != nil {
			t.Fatal(err)
		}
		relays[i], err = servers[i].Relay(ctx, "sink", sink)
		if err != nil {
			t.Fatal(err)
		}
	}
	step := func(relay int, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if _, err := relays[relay].Drain(ctx); err != nil {
			t.Fatal(err)
		}
	}
	step(0, func() error {
		var sub docid.Submission
		sub.ID, sub.Text = "a", storetest.Base(1)
		_, err := servers[0].Add(ctx, sub)
		return err
	})
	step(0, func() error { return servers[0].Index().BeginEpoch(ctx, 100) })
	step(1, func() error {
		_, err := servers[1].Delete(ctx, "a")
		return err
	})
	if sink.at != 102 || sink.epochs[101] != 1 || sink.epochs[102] != 1 {
		t.Errorf("up to change %d, with so many epochs before each: %v", sink.at, sink.epochs)
	}
}

// laterSink has the changes up to one from before, and keeps what it is given after it.
type laterSink struct {
	epochSink
	got []docid.Delivery
}

func (s *laterSink) Apply(ctx context.Context, tenant string, ds []docid.Delivery) error {
	s.got = append(s.got, ds...)
	return s.epochSink.Apply(ctx, tenant, ds)
}

// TestRelayTells: Told gets each page that the sink took, and why Run waits.
func TestRelayTells(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := docid.NewDetector(t.Context(), store, "tenant", storetest.Settings())
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Relay(t.Context(), "sink", &epochSink{epochs: map[uint64]int{}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		var sub docid.Submission
		sub.Text = storetest.Base(i)
		if _, err := d.Add(t.Context(), sub); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var told []string
	r.Told = func(began time.Time, changes int, err error) {
		if began.IsZero() {
			t.Error("it never began")
		}
		told = append(told, fmt.Sprint(changes, " ", err))
		if len(told) == 1 {
			_ = store.Close()
		} else {
			stop()
		}
	}
	_ = r.Run(ctx)
	if len(told) != 2 || told[0] != "3 <nil>" || !strings.HasPrefix(told[1], "0 ") || strings.HasSuffix(told[1], "<nil>") {
		t.Errorf("told %q", told)
	}
}

// TestRelayStartsInACatchUp: any relay marks an update that the outbox did not keep, even one that has
// delivered nothing before it.
func TestRelayStartsInACatchUp(t *testing.T) {
	ctx := t.Context()
	store, err := memory.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := docid.NewDetector(ctx, store, "tenant", storetest.Settings())
	if err != nil {
		t.Fatal(err)
	}
	var sub docid.Submission
	sub.ID, sub.Text = "a", storetest.Base(1)
	if _, err := d.Add(ctx, sub); err != nil {
		t.Fatal(err)
	}
	text := storetest.Base(2)
	if _, err := d.Update(ctx, "a", docid.Revision{Text: &text}); err != nil {
		t.Fatal(err)
	}
	for _, from := range []uint64{0, 1} {
		sink := &laterSink{epochSink: epochSink{at: from, epochs: map[uint64]int{}}}
		r, err := d.Relay(ctx, "sink", sink)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		u := sink.got[len(sink.got)-1]
		if u.Seq != 2 || !u.Revises() || !u.Kept.Replaces() || u.Article.Text != text {
			t.Errorf("after change %d the update is told as %+v with %+v", from, u, u.Article)
		}
	}
}
