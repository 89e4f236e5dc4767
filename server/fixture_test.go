package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/text"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a running server with a token for each role of two tenants.
type fixture struct {
	*testing.T
	server *server.Server
	http   *httptest.Server
	store  docid.Store
	log    *lines
	tokens map[string]string // "news submit"
}

// lines is a log that several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// settings returns the settings of neardup serve.
func settings(string) docid.Settings {
	return docid.Settings{
		Clean: text.Default(), URL: docid.Exact, Title: docid.Exact, Content: docid.Near,
		ContentMethod: standard.Method(""), TitleAgrees: standard.Method("jaccard threshold=.2"),
	}
}

var roles = []server.Role{server.Submit, server.Read, server.Moderate, server.Admin, server.Operator}

// start starts a server; change may change its configuration first.
func start(t *testing.T, change ...func(*server.Config)) *fixture {
	t.Helper()
	f := &fixture{T: t, log: &lines{}, tokens: map[string]string{}}
	access := &server.Access{}
	for _, tenant := range []string{"news", "other"} {
		for _, role := range roles {
			token, err := server.NewToken()
			if err != nil {
				t.Fatal(err)
			}
			f.tokens[tenant+" "+string(role)] = token
			access.Allow(server.HashOf(token), server.Grant{Tenant: tenant, Roles: []server.Role{role}})
		}
	}
	cfg := server.Config{
		Settings: settings, Access: access, Hosts: []string{"127.0.0.1"},
		Telemetry: server.Telemetry{Log: slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
	}
	for _, c := range change {
		c(&cfg)
	}
	if cfg.Store == nil {
		cfg.Store = memoryStore(t)
	}
	f.store = cfg.Store
	var err error
	f.server, err = server.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	f.http = httptest.NewUnstartedServer(nil)
	f.http.Config = server.NewHTTP(f.server, cfg.Log)
	f.http.Start()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		f.http.Close()
	})
	return f
}

func memoryStore(t *testing.T) docid.Store {
	t.Helper()
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func slogDiscard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// open lets requests without a token submit and read, as on loopback.
func open(c *server.Config) {
	c.Access.Anonymous = &server.Grant{Tenant: "default", Roles: []server.Role{server.Submit, server.Read}}
}

// reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	body   string
}

// decode reads the body as JSON.
func (r reply) decode(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("status %d: %v in %q", r.status, err, r.body)
	}
}

// request makes a request with a token; headers are pairs.
func (f *fixture) request(method, path, token, body string, headers ...string) *http.Request {
	f.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, f.http.URL+path, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return r
}

func (f *fixture) send(r *http.Request) reply {
	f.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		f.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		f.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// do sends a request as the tenant news in a role.
func (f *fixture) do(role server.Role, method, path, body string, headers ...string) reply {
	f.Helper()
	return f.send(f.request(method, path, f.tokens["news "+string(role)], body, headers...))
}

// client returns a Go client of a tenant with a role.
func (f *fixture) client(tenant string, role server.Role) *api.Client {
	f.Helper()
	c, err := api.NewClient(f.http.URL, api.Options{Token: f.tokens[tenant+" "+string(role)]})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	return c
}

func article(nid, content string) api.Submission {
	return api.Submission{Article: api.Article{NID: nid, Content: content}}
}

// story returns a different text for each n.
func story(n int) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "word%d ", (n*7919+i*104729)%100003)
	}
	return b.String()
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
