package docid_test

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/store/storetest"
)

// epochSink is told of how many epochs each change has before it.
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

// TestEpochsOfOthers: an epoch that one server began and delivered is counted by the
// relay of another, which begins behind it: timestamps are made of it.
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
		if servers[i], err = docid.NewDetector(ctx, store, "tenant", storetest.Settings()); err != nil {
			t.Fatal(err)
		}
		if relays[i], err = servers[i].Relay(ctx, "sink", sink); err != nil {
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
