package redis

import (
	"context"
	"strings"
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
		return storetest.Place{Open: open, Lasting: true}
	}
}

// opened starts a Redis and opens it as a store; both end with the test.
func opened(t *testing.T) (*services.Server, *Store) {
	t.Helper()
	server := services.Redis(t)
	s, err := Open(t.Context(), Options{Address: "redis://" + server.Addr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return server, s
}

func TestRedis(t *testing.T) { storetest.Run(t, place(services.Redis(t))) }
func TestValkey(t *testing.T) {
	if testing.Short() {
		t.Skip("the same calls as to Redis")
	}
	storetest.Run(t, place(services.Valkey(t)))
}

// Promises says what a server may lose by its settings, and Open refuses such a
// one unless it is told to accept that.
func TestPromises(t *testing.T) {
	s := services.Redis(t)
	store, err := Open(t.Context(), Options{Address: "redis://" + s.Addr})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	set := func(name, value string) {
		t.Helper()
		if err := store.c.Do(t.Context(), store.c.B().ConfigSet().ParameterValue().ParameterValue(name, value).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, value, loss string }{
		{"appendfsync", "always", ""},
		{"appendfsync", "everysec", "a power failure loses the last second"},
		{"appendfsync", "always", ""},
		{"maxmemory-policy", "allkeys-lru", "a full Redis forgets articles"},
		{"maxmemory-policy", "noeviction", ""},
	} {
		set(c.name, c.value)
		losses, err := store.Promises(t.Context())
		if err != nil || (c.loss == "") != (len(losses) == 0) || c.loss != "" && !strings.Contains(losses[0], c.loss) {
			t.Errorf("%s %s: %q, %v", c.name, c.value, losses, err)
		}
		again, err := Open(t.Context(), Options{Address: "redis://" + s.Addr})
		if (err == nil) != (c.loss == "") {
			t.Errorf("%s %s: opened with %v", c.name, c.value, err)
		}
		if err == nil {
			again.Close()
		}
	}
}
