package server_test

import (
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
)

// TestDetach: a sink that is given up is waited for no longer.
func TestDetach(t *testing.T) {
	store := memoryStore(t)
	d, err := docid.NewDetector(t.Context(), store, "news", settings("news"))
	if err != nil {
		t.Fatal(err)
	}
	box := d.Index()
	for _, sink := range []string{"kept", "given up"} {
		if _, err := box.Outbox().Attach(t.Context(), sink); err != nil {
			t.Fatal(err)
		}
	}
	start(t, func(c *server.Config) { c.Store, c.Detach = store, []string{"given up"} })
	as, err := box.Outbox().Attached(t.Context())
	if err != nil || len(as) != 1 || as[0].Sink != "kept" {
		t.Errorf("attached: %v (%v)", as, err)
	}
}
