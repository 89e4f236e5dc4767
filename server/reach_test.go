package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// remote is a remote store. While it is away, its callers wait.
type remote struct {
	docid.Store
	away  atomic.Bool
	waits atomic.Int64
}

type remoteIndex struct {
	docid.Index
	of *remote
}

func (s *remote) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	return remoteIndex{ix, s}, err
}

func (s *remote) reach(ctx context.Context) error {
	if s.away.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (i remoteIndex) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	if i.of.away.Load() {
		i.of.waits.Add(1)
		<-ctx.Done()
		return docid.Found{}, ctx.Err()
	}
	return i.Index.Lookup(ctx, q)
}

// TestStoreAway checks that a silent store is reported at once, also by /readyz. Waiting requests are
// answered, and new ones do not reach the store. When it is back, everything works again.
func TestStoreAway(t *testing.T) {
	store := &remote{Store: memoryStore(t)}
	f := start(t, func(c *server.Config) {
		c.Store, c.Remote.Reach = store, store.reach
		c.Limits.Deadline = time.Hour
	})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { f.server.Run(ctx) })
	defer running.Wait()
	defer stop()
	until := func(what string, status int) {
		t.Helper()
		for range 12_000 {
			if r := f.send(f.request(http.MethodGet, "/readyz", "", "")); r.status == status {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%s: /readyz is not %d", what, status)
	}
	ask := func() reply { return f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"some words"}`) }
	if r := ask(); r.status != http.StatusOK {
		t.Fatalf("%d: %s", r.status, r.body)
	}
	store.away.Store(true)
	var waiting sync.WaitGroup
	for _, path := range []string{"/v1/articles", "/docId/getDocId"} {
		waiting.Go(func() {
			if r := f.do(server.Submit, http.MethodPost, path, `{"content":"some words"}`); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
				t.Errorf("who waits at %s: %d: %s", path, r.status, r.body)
			}
		})
	}
	until("away", http.StatusServiceUnavailable)
	waiting.Wait()
	asked := store.waits.Load()
	if r := ask(); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" || store.waits.Load() != asked {
		t.Errorf("who comes then: %d: %s; the store was asked %d times more", r.status, r.body, store.waits.Load()-asked)
	}
	store.away.Store(false)
	until("back", http.StatusOK)
	if r := ask(); r.status != http.StatusOK {
		t.Errorf("back: %d: %s", r.status, r.body)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(f.log.String(), "the index answers again") && time.Now().Before(end); { // the store is back before the log reports it
		time.Sleep(time.Millisecond)
	}
	if log := f.log.String(); strings.Count(log, "the index does not answer") != 1 || strings.Count(log, "the index answers again") != 1 {
		t.Errorf("log %s", log)
	}
}

// TestOneWrongClock checks that a server whose clock is a day ahead expires nothing early, because the work
// must also be due by the store's clock.
func TestOneWrongClock(t *testing.T) {
	now := time.Now()
	shared := now
	f := start(t, func(c *server.Config) {
		c.Remote.Clock = func(context.Context) (time.Time, error) { return shared, nil }
	})
	ctx, in := t.Context(), f.client("news", server.Submit)
	short := article("short", story(1))
	short.TTLSeconds = 3600
	first := must[api.Answer](t)(in.Submit(ctx, short, ""))
	keyed := must[api.Answer](t)(in.Submit(ctx, article("", story(2)), "key"))
	for _, test := range []struct {
		shared time.Duration
		lives  bool
	}{{time.Minute, true}, {25 * time.Hour, false}} {
		shared = now.Add(test.shared)
		if err := f.server.Sweep(ctx, now.Add(26*time.Hour)); err != nil {
			t.Fatal(err)
		}
		_, err := f.client("news", server.Read).DocID(ctx, first.DocID, 0, 1)
		again := must[api.Answer](t)(in.Submit(ctx, article("", story(2)), "key"))
		if (err == nil) != test.lives || (again.Seq == keyed.Seq) != test.lives {
			t.Errorf("%s by the clock of the store: the docId: %v; the key gives change %d, first %d", test.shared, err, again.Seq, keyed.Seq)
		}
	}
}
