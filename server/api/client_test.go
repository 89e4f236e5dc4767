package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/server/api"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// flaky fails some times before it answers, and keeps what it was sent.
type flaky struct {
	failures []func(w http.ResponseWriter)
	calls    atomic.Int64
	keys     []string
	bodies   []string
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(f.calls.Add(1)) - 1
	var body json.RawMessage
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.keys = append(f.keys, r.Header.Get("Idempotency-Key"))
	f.bodies = append(f.bodies, string(body))
	if n < len(f.failures) {
		f.failures[n](w)
		return
	}
	fmt.Fprint(w, `{"id":"~1","decision":"new","docId":"d","seq":1,"method":"auto"}`)
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"type":"urn:neardup:busy","status":%d,"title":"t"}`, code)
	}
}

func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func client(t *testing.T, h http.Handler) *api.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := api.NewClient(s.URL, api.Options{Attempts: 4, Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// An anonymous article gets a key of its own, the same in every attempt.
func TestRetriesCarryOneKey(t *testing.T) {
	f := &flaky{failures: []func(http.ResponseWriter){status(429), hangUp, status(503)}}
	a, err := client(t, f).Submit(t.Context(), api.Submission{Article: api.Article{Content: "x"}}, "")
	if err != nil || a.DocID != "d" {
		t.Fatalf("%+v, %v", a, err)
	}
	if len(f.keys) != 4 || len(f.keys[0]) < 22 {
		t.Fatalf("keys %v", f.keys)
	}
	for i := range f.keys {
		if f.keys[i] != f.keys[0] || f.bodies[i] != f.bodies[0] {
			t.Errorf("attempt %d: key %q, body %s", i, f.keys[i], f.bodies[i])
		}
	}
}

// An article in JSON is sent unchanged in every attempt, with its key.
func TestJSONGoesAsItIs(t *testing.T) {
	f := &flaky{failures: []func(http.ResponseWriter){status(503)}}
	article := `{"nid":"<1>", "nid":"2"}`
	a, err := client(t, f).SubmitJSON(t.Context(), []byte(article), "key")
	if err != nil || a.DocID != "d" || len(f.bodies) != 2 || f.bodies[0] != article || f.bodies[1] != article || f.keys[1] != "key" {
		t.Errorf("%+v, %v, %q, %q", a, err, f.bodies, f.keys)
	}
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	for _, code := range []int{400, 401, 403, 404, 409, 410, 413, 422, 507} {
		f := &flaky{failures: []func(http.ResponseWriter){status(code)}}
		_, err := client(t, f).Stats(t.Context())
		var p *api.Problem
		if !errors.As(err, &p) || p.Status != code || p.Code() != api.CodeBusy || f.calls.Load() != 1 || api.Passing(err) {
			t.Errorf("%d: %v after %d calls", code, err, f.calls.Load())
		}
	}
}

func TestAttemptsEnd(t *testing.T) {
	fail := status(503)
	f := &flaky{failures: []func(http.ResponseWriter){fail, fail, fail, fail, fail}}
	if _, err := client(t, f).Stats(t.Context()); !api.Passing(err) || f.calls.Load() != 4 {
		t.Errorf("%v after %d calls", err, f.calls.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := &flaky{}
	if _, err := client(t, g).Stats(ctx); !errors.Is(err, context.Canceled) || g.calls.Load() != 0 {
		t.Errorf("%v after %d calls", err, g.calls.Load())
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	f := &flaky{failures: []func(http.ResponseWriter){func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "1")
		status(429)(w)
	}}}
	begun := time.Now()
	if _, err := client(t, f).Stats(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(begun); waited < time.Second {
		t.Errorf("waited %v", waited)
	}
}

func TestProxyThatAnswersHTML(t *testing.T) {
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<html>")
	}))
	var p *api.Problem
	if _, err := c.Stats(t.Context()); !errors.As(err, &p) || p.Status != 404 || p.Code() != "" ||
		!strings.Contains(err.Error(), "/v1/stats was not answered by neardup serve") {
		t.Errorf("%v", err)
	}
}

func TestServerURL(t *testing.T) {
	for _, bad := range []string{"", "127.0.0.1:8080", "ftp://x", "http://"} {
		if _, err := api.NewClient(bad, api.Options{}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// A redirect is an error that names the other address; the token is not sent there.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for name, own := range map[string]*http.Client{"its own": nil, "the caller's": {}} {
			server := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/stats", code))
			c, err := api.NewClient(server.URL, api.Options{Token: "secret", HTTP: own})
			if err != nil {
				t.Fatal(err)
			}
			var p *api.Problem
			if _, err := c.Stats(t.Context()); !errors.As(err, &p) || p.Status != code || !strings.Contains(p.Detail, other.URL) {
				t.Errorf("%d, client %s: %v", code, name, err)
			}
			c.Close()
			server.Close()
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// A page that does not begin after the one before it is an error: the caller would ask for
// it without end.
func TestPagesAdvance(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		ok           bool
	}{
		{"log: later", `{"entries":[{"seq":6},{"seq":9}]}`, true},
		{"log: none", `{"entries":[]}`, true},
		{"log: the same", `{"entries":[{"seq":5}]}`, false},
		{"log: an earlier one", `{"entries":[{"seq":1}]}`, false},
		{"log: later, then the same", `{"entries":[{"seq":6},{"seq":6}]}`, false},
		{"rulings: later", `{"rulings":[],"next":6}`, true},
		{"rulings: the last page", `{"rulings":[]}`, true},
		{"rulings: the same", `{"rulings":[],"next":5}`, false},
		{"members: later", `{"members":[],"next":6}`, true},
		{"members: the same", `{"members":[],"next":5}`, false},
	} {
		c := client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, test.answer) }))
		var err error
		switch what, _, _ := strings.Cut(test.name, ":"); what {
		case "log":
			_, err = c.Log(t.Context(), 5, 10)
		case "rulings":
			_, err = c.Rulings(t.Context(), 5, 10)
		case "members":
			_, err = c.DocID(t.Context(), "x", 5, 10)
		}
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
