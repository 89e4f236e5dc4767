package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

func TestSecureDefaults(t *testing.T) {
	f := start(t)
	const body = `{"content":"x"}`
	tests := []struct {
		name    string
		request func() *http.Request
		status  int
	}{
		{"as it should be", func() *http.Request { return f.submit(body) }, 200},
		{"a name of this host with a port", func() *http.Request { return f.submit(body, "Host", "127.0.0.1:9") }, 200},
		{"another host", func() *http.Request { return f.submit(body, "Host", "evil.example") }, 421},
		{"another host, as long", func() *http.Request { return f.submit(body, "Host", "127.0.0.2") }, 421},
		{"from another site", func() *http.Request { return f.submit(body, "Sec-Fetch-Site", "cross-site") }, 403},
		{"from another origin", func() *http.Request { return f.submit(body, "Origin", "http://evil.example") }, 403},
		{"gzip", func() *http.Request { return f.submit(body, "Content-Encoding", "gzip") }, 415},
		{"zstd", func() *http.Request { return f.submit(body, "Content-Encoding", "zstd") }, 415},
		{"a form", func() *http.Request { return f.submit(body, "Content-Type", "application/x-www-form-urlencoded") }, 415},
		{"plain text", func() *http.Request { return f.submit(body, "Content-Type", "text/plain") }, 415},
		{"JSON with a charset", func() *http.Request { return f.submit(body, "Content-Type", "application/json; charset=utf-8") }, 200},
		{"headers over 16 KiB", func() *http.Request { return f.submit(body, "X-Large", strings.Repeat("x", 17<<10)) }, 431},
		{"headers below", func() *http.Request { return f.submit(body, "X-Large", strings.Repeat("x", 15<<10)) }, 200},
		{"a key over 256 bytes", func() *http.Request { return f.submit(body, "Idempotency-Key", strings.Repeat("x", 257)) }, 422},
		{"an unknown parameter", func() *http.Request {
			return f.request(http.MethodGet, "/v1/stats?debug=1", f.tokens["news read"], "")
		}, 422},
		{"a page over 100", func() *http.Request {
			return f.request(http.MethodGet, "/v1/docids?limit=101", f.tokens["news read"], "")
		}, 422},
		{"a page of documentation", func() *http.Request { return f.request(http.MethodGet, "/docs", "", "") }, 404},
		{"pprof", func() *http.Request { return f.request(http.MethodGet, "/debug/pprof/", "", "") }, 404},
		{"metrics on this listener", func() *http.Request { return f.request(http.MethodGet, "/metrics", "", "") }, 404},
		{"another method", func() *http.Request { return f.request(http.MethodPut, "/v1/stats", "", "{}") }, 405},
		{"health by any host", func() *http.Request { return f.request(http.MethodGet, "/readyz", "", "", "Host", "10.0.0.9") }, 200},
	}
	for _, test := range tests {
		r := f.send(test.request())
		if r.status != test.status {
			t.Errorf("%s: %d, want %d: %.200s", test.name, r.status, test.status, r.body)
		}
		if r.status >= 400 && !strings.HasPrefix(r.header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: Content-Type %s", test.name, r.header.Get("Content-Type"))
		}
		if r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: headers %v", test.name, r.header)
		}
	}
}

// Every answer forbids caches to keep it and browsers to guess its type.
func TestAnswersStayPrivate(t *testing.T) {
	f := start(t)
	get := func(path, role string, headers ...string) reply {
		return f.send(f.request(http.MethodGet, path, f.tokens[role], "", headers...))
	}
	early := httptest.NewServer(&server.Gate{})
	defer early.Close()
	starting, err := http.NewRequestWithContext(t.Context(), http.MethodGet, early.URL+"/v1/stats", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		answer reply
		status int
		cache  string
	}{
		{"a decision", f.send(f.submit(`{"content":"x"}`)), 200, "no-store"},
		{"a decision of the classic route", f.do(server.Submit, http.MethodGet, query(firstArticle), ""), 200, "no-store"},
		{"a page of docIds", get("/v1/docids", "news read"), 200, "no-store"},
		{"figures", get("/v1/stats", "news read"), 200, "no-store"},
		{"the caller", get("/v1/me", "news read"), 200, "no-store"},
		{"the description", get("/openapi.json", ""), 200, "no-store"},
		{"an article that is not there", get("/v1/articles/none", "news read"), 404, "no-store"},
		{"a route that is not there", get("/none", ""), 404, "no-store"},
		{"an invalid article", f.send(f.submit(`{"content":1}`)), 422, "no-store"},
		{"an unknown token", f.send(f.request(http.MethodGet, "/v1/stats", "unknown", "")), 401, "no-store"},
		{"another host", get("/v1/stats", "news read", "Host", "evil.example"), 421, "no-store"},
		{"ready", get("/readyz", ""), 200, "no-store"},
		{"starting", f.send(starting), 503, "no-store"},
		{"the page without data", get("/ui/", ""), 200, "no-cache"},
	} {
		h := test.answer.header
		if test.answer.status != test.status || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != test.cache {
			t.Errorf("%s: %d, X-Content-Type-Options %q, Cache-Control %q; want %d, nosniff, %s",
				test.name, test.answer.status, h.Get("X-Content-Type-Options"), h.Get("Cache-Control"), test.status, test.cache)
		}
	}
}

// submit returns a submission with headers.
func (f *fixture) submit(body string, headers ...string) *http.Request {
	f.Helper()
	return f.request(http.MethodPost, "/v1/articles", f.tokens["news submit"], body, headers...)
}

func TestTimeouts(t *testing.T) {
	h := server.NewHTTP(http.NotFoundHandler(), slogDiscard())
	if h.ReadHeaderTimeout != 5*time.Second || h.ReadTimeout != 30*time.Second || h.WriteTimeout != 30*time.Second || h.IdleTimeout != 60*time.Second {
		t.Errorf("%+v", h)
	}
}

func TestRateLimit(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits.Rate, c.Limits.Burst = .001, 5 })
	for i := range 7 {
		r := f.send(f.submit(`{"content":"x"}`))
		if ok := i < 5; ok != (r.status == http.StatusOK) {
			t.Errorf("request %d: %d", i, r.status)
		}
		if r.status != http.StatusOK && (r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "") {
			t.Errorf("request %d: %d %v", i, r.status, r.header)
		}
	}
	if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusOK {
		t.Errorf("another client: %d", r.status)
	}
	if r := f.send(f.request(http.MethodPost, "/v1/batch", f.tokens["other submit"], `{"articles":[{},{},{},{},{},{}]}`)); r.status != http.StatusTooManyRequests {
		t.Errorf("a batch counts its articles: %d", r.status)
	}
}

// A slowStore holds commits until it is released.
type slowStore struct {
	docid.Store
	entered chan struct{}
	release chan struct{}
}

type slowIndex struct {
	docid.Index
	s *slowStore
}

func (s *slowStore) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	return slowIndex{ix, s}, err
}

func (ix slowIndex) Commit(ctx context.Context, c *docid.Change) (docid.Receipt, error) {
	ix.s.entered <- struct{}{}
	select {
	case <-ix.s.release:
	case <-ctx.Done():
		return docid.Receipt{}, ctx.Err()
	}
	return ix.Index.Commit(ctx, c)
}

func TestRequestsInFlight(t *testing.T) {
	slow := &slowStore{entered: make(chan struct{}, 10), release: make(chan struct{})}
	f := start(t, func(c *server.Config) {
		c.Limits.InFlight, c.Limits.PerClient = 3, 2
		slow.Store = memoryStore(t)
		c.Store = slow
	})
	var waiting sync.WaitGroup
	submit := func(who string) {
		waiting.Go(func() {
			r := f.send(f.request(http.MethodPost, "/v1/articles", f.tokens[who], `{"content":"`+who+`"}`))
			if r.status != http.StatusOK {
				t.Errorf("%s: %d", who, r.status)
			}
		})
		<-slow.entered
	}
	submit("news submit")
	submit("news submit")
	if r := f.send(f.submit(`{}`)); r.status != http.StatusTooManyRequests {
		t.Errorf("a third of one client: %d", r.status)
	}
	submit("other submit")
	if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusTooManyRequests {
		t.Errorf("a fourth of all: %d", r.status)
	}
	if r := f.send(f.request(http.MethodGet, "/readyz", "", "")); r.status != http.StatusOK {
		t.Errorf("health: %d", r.status)
	}
	close(slow.release)
	waiting.Wait()
	if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusOK {
		t.Errorf("afterwards: %d", r.status)
	}
}

// A dependency that hangs ends in 503 at the deadline.
func TestDeadline(t *testing.T) {
	slow := &slowStore{entered: make(chan struct{}, 10), release: make(chan struct{})}
	f := start(t, func(c *server.Config) {
		c.Limits.Deadline = 50 * time.Millisecond
		slow.Store = memoryStore(t)
		c.Store = slow
	})
	var p api.Problem
	r := f.send(f.submit(`{"content":"x"}`))
	r.decode(t, &p)
	if r.status != http.StatusServiceUnavailable || p.Code() != api.CodeUnavailable || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %+v", r.status, p)
	}
}

// failing is a store whose commits fail.
type failing struct {
	docid.Store
	err error
}

type failingIndex struct {
	docid.Index
	err error
}

func (s failing) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	return failingIndex{ix, s.err}, err
}
func (ix failingIndex) Commit(context.Context, *docid.Change) (docid.Receipt, error) {
	return docid.Receipt{}, ix.err
}
func (s failing) Poisoned() error { return s.err }

// A troubled is a store whose log fails and recovers.
type troubled struct {
	docid.Store
	away *atomic.Bool
}

func (s troubled) Poisoned() error {
	if s.away.Load() {
		return docid.ErrUnavailable
	}
	return nil
}

// Each failure and recovery of a log is logged, but never as needing a restart.
func TestTroubleComesAndGoes(t *testing.T) {
	var away atomic.Bool
	f := start(t, func(c *server.Config) { c.Store = troubled{memoryStore(t), &away} })
	for n := range 2 {
		for _, now := range []bool{true, true, false, false} {
			away.Store(now)
			if r := f.send(f.request(http.MethodGet, "/readyz", "", "")); (r.status == http.StatusOK) == now {
				t.Errorf("away %v: ready says %d", now, r.status)
			}
		}
		said := f.log.String()
		if strings.Count(said, `"msg":"the store accepts no writes"`) != n+1 || strings.Count(said, `"msg":"the store accepts writes again"`) != n+1 {
			t.Errorf("the log says %s", said)
		}
	}
}

func TestStoreThatFails(t *testing.T) {
	for err, status := range map[error]int{docid.ErrFull: 507, docid.ErrUnavailable: 503, docid.ErrCorrupt: 503, context.Canceled: 503} {
		f := start(t, func(c *server.Config) { c.Store = failing{memoryStore(t), err} })
		if r := f.send(f.submit(`{"content":"x"}`)); r.status != status {
			t.Errorf("%v: %d", err, r.status)
		}
		if r := f.send(f.request(http.MethodPost, "/v1/batch", f.tokens["news submit"], `{"articles":[{"content":"x"}]}`)); r.status != status {
			t.Errorf("%v, batch: %d", err, r.status)
		}
		if r := f.do(server.Submit, http.MethodPost, "/docId/getDocId", `{"content":"x"}`); r.status != status {
			t.Errorf("%v, classic: %d", err, r.status)
		}
		if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusOK {
			t.Errorf("%v: reads go on: %d", err, r.status)
		}
		if r := f.send(f.request(http.MethodGet, "/readyz", "", "")); r.status != http.StatusServiceUnavailable {
			t.Errorf("%v: ready: %d", err, r.status)
		}
		f.send(f.request(http.MethodGet, "/readyz", "", ""))
		if said := f.log.String(); strings.Count(said, `"the store accepts no writes","cause":"`+err.Error()) != 1 {
			t.Errorf("%v: the log says %s", err, said)
		}
	}
}

func TestReadiness(t *testing.T) {
	gate := &server.Gate{}
	ask := func(path string) int {
		w := httptest.NewRecorder()
		gate.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if ask("/healthz") != 200 || ask("/readyz") != 503 || ask("/v1/stats") != 503 {
		t.Error("while starting")
	}
	gate.Wait("waiting for the log")
	w := httptest.NewRecorder()
	gate.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if w.Code != 503 || w.Body.String() != "starting: waiting for the log\n" {
		t.Errorf("while it waits: %d %q", w.Code, w.Body)
	}
	f := start(t)
	gate.Open(f.server)
	if ask("/healthz") != 200 || ask("/readyz") != 200 {
		t.Error("when ready")
	}
	f.server.Drain()
	if ask("/healthz") != 200 || ask("/readyz") != 503 {
		t.Error("while draining")
	}
	if r := f.send(f.submit(`{"content":"x"}`)); r.status != http.StatusOK {
		t.Errorf("what comes in while draining is answered: %d", r.status)
	}
}
