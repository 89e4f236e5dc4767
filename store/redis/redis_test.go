package redis

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/storetest"
)

// place is an empty Redis of a server that the tests of a suite share.
func place(s *services.Server) func(t *testing.T) storetest.Place {
	return func(t *testing.T) storetest.Place {
		open := func(ctx context.Context) (docid.Store, error) {
			return Open(ctx, Options{Address: "redis://" + s.Addr})
		}
		store, err := Open(t.Context(), Options{Address: "redis://" + s.Addr})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if err := store.c.Do(t.Context(), store.c.B().Flushall().Build()).Error(); err != nil {
			t.Fatal(err)
		}
		return storetest.Place{Open: open, Lasting: true, Unasked: true}
	}
}

func TestRedis(t *testing.T) { storetest.Run(t, place(services.Redis(t))) }
func TestValkey(t *testing.T) {
	if testing.Short() {
		t.Skip("the same calls as to Redis")
	}
	storetest.Run(t, place(services.Valkey(t)))
}
