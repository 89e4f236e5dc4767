package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/server"
)

// One client's requests over HTTP/2 that stay open are bounded, however few
// connections carry them; when they end, others come in.
func TestStreamsAreBounded(t *testing.T) {
	end, inside := make(chan struct{}), make(chan struct{}, 20)
	srv := httptest.NewUnstartedServer(server.Streams(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stays" {
			inside <- struct{}{}
			<-end
		}
	}), 8))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	ask := func(path string) int {
		r, err := srv.Client().Get(srv.URL + path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return 0
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		return r.StatusCode
	}
	var stay sync.WaitGroup
	for range 4 {
		stay.Go(func() {
			if status := ask("/stays"); status != http.StatusOK {
				t.Errorf("one of four gets %d", status)
			}
		})
		<-inside
	}
	if status := ask("/"); status != http.StatusTooManyRequests {
		t.Errorf("the fifth gets %d", status)
	}
	close(end)
	stay.Wait()
	if status := ask("/"); status != http.StatusOK {
		t.Errorf("when the others have ended: %d", status)
	}
}

// blocked is a client that reads nothing of its answer until it is let.
type blocked struct {
	*httptest.ResponseRecorder
	began, let chan struct{}
}

func (b blocked) Write(p []byte) (int, error) {
	close(b.began)
	<-b.let
	return b.ResponseRecorder.Write(p)
}

// A client that reads slowly or grants no window takes no place from others.
func TestSlowReadersKeepNoPlace(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits.InFlight, c.Limits.PerClient = 1, 1 })
	slow := blocked{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/stats", nil)
		r.Header.Set("Authorization", "Bearer "+f.tokens["news read"])
		f.server.ServeHTTP(slow, r)
	}()
	<-slow.began
	if r := f.do(server.Admin, http.MethodGet, "/v1/log", ""); r.status != http.StatusOK {
		t.Errorf("another client gets %d: %s", r.status, r.body)
	}
	close(slow.let)
	<-done
	if slow.Code != http.StatusOK || !strings.Contains(slow.Body.String(), "articles") {
		t.Errorf("the slow one got %d: %s", slow.Code, slow.Body)
	}
}

// Long bodies that come as slowly as they may keep places of long bodies only, and
// one client half of those.
func TestSlowLongBodiesKeepNoPlace(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits.InFlight, c.Limits.PerClient = 16, 12 })
	begin := `{"nid":"a","content":"` + strings.Repeat("x", 100<<10)
	for range 8 {
		f.dial(f.head("news submit", "POST /v1/articles", "Content-Length: 1000000") + begin)
		f.dial(f.head("other submit", "POST /v1/articles", "Content-Length: 1000000") + begin)
	}
	for range 20 { // the others' requests have arrived by then, or it does not matter
		if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusOK {
			t.Fatalf("another client gets %d: %s", r.status, r.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
