package redis

import (
	"errors"
	"fmt"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/storetest"
)

// TestHeard: whoever asks for a submission that is known by its nid or its idempotency key is
// answered, however many others there are, and also where the history has it; nobody else is.
func TestHeard(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	if err != nil {
		t.Fatal(err)
	}
	history, _ := storetest.KeptSinks()
	s.ReadLog(history)
	relay, err := d.Relay(ctx, "map", history)
	if err != nil {
		t.Fatal(err)
	}
	const articles = 150 // more than two buckets
	asked := func() {
		t.Helper()
		for n := range articles + 50 {
			for _, c := range []struct {
				a     docid.Asked
				known error
			}{
				{docid.Asked{NID: fmt.Sprint("a", n)}, docid.ErrTaken}, // the request is another
				{docid.Asked{NID: fmt.Sprint("b", n), Idempotency: fmt.Sprint("key", n)}, docid.ErrMismatch},
				{docid.Asked{Idempotency: fmt.Sprint("key", n)}, docid.ErrMismatch},
			} {
				if n >= articles {
					c.known = docid.ErrNotFound
				}
				if r, err := d.Index().Replay(ctx, c.a); !errors.Is(err, c.known) {
					t.Errorf("%+v: %+v, %v, want %v", c.a, r, err, c.known)
				}
			}
		}
	}
	for n := range articles {
		var sub docid.Submission
		sub.ID, sub.Text, sub.Idempotency = fmt.Sprint("a", n), fmt.Sprint("text number ", n), fmt.Sprint("key", n)
		if _, err := d.Add(ctx, sub); err != nil {
			t.Fatal(err)
		}
	}
	asked()
	if _, err := relay.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Index().(docid.Unloader).Trim(ctx, "map", articles-10, future, 1000); n != articles-10 || err != nil {
		t.Fatalf("%d entries went, %v", n, err)
	}
	asked()
	ahead := docid.Asked{NID: "c", Seen: articles + 100}
	if r, err := d.Index().Replay(ctx, ahead); !errors.Is(err, docid.ErrBehind) {
		t.Errorf("who has seen more: %+v, %v", r, err)
	}
}
