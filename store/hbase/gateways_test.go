package hbase

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/services"
)

// watched counts the requests to others than the first gateway, and those to it that are so late that another is asked too.
type watched struct {
	*http.Transport
	first        string
	others, late atomic.Int64
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != w.first {
		w.others.Add(1)
		return w.Transport.RoundTrip(r)
	}
	body := &timed{of: w, began: time.Now()}
	resp, err := w.Transport.RoundTrip(r)
	if err != nil {
		body.over()
		return nil, err
	}
	body.ReadCloser, resp.Body = resp.Body, body
	return resp, nil
}

// timed is a body with the time at which it was asked for.
type timed struct {
	io.ReadCloser
	of    *watched
	began time.Time
}

func (b *timed) over() {
	if time.Since(b.began) >= patience/2 { // what runs beside has its own clock
		b.of.late.Add(1)
	}
}

func (b *timed) Close() error {
	b.over()
	return b.ReadCloser.Close()
}

// gatewaysAside: of two real gateways one is killed, hangs, answers errors or is
// something else. No request fails, one of them waits for it, and the others do not
// ask it: a gateway that failed is left aside, tried again by one request after a
// while, and comes back.
func gatewaysAside(t *testing.T, h services.HBase) {
	second := h.AddGateway(t)
	var asked atomic.Int64
	var kind atomic.Value
	kind.Store("503")
	impostor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch kind.Load() {
		case "503":
			http.Error(w, "no", http.StatusServiceUnavailable)
		case "401":
			http.Error(w, "no", http.StatusUnauthorized)
		case "page":
			fmt.Fprint(w, "<html>welcome")
		case "not found":
			http.NotFound(w, r)
		case "cut":
			w.Header().Set("Content-Type", protobuf)
			w.Header().Set("Content-Length", "100")
		}
	}))
	defer impostor.Close()
	row := []cell{{"row", "a:article", 7, []byte("text")}}
	// work makes so many requests of each kind, and the result is how often the second gateway may be asked meanwhile: once,
	// again after each asideTime, and where the first is late.
	work := func(g *gateways, what string, n int) int {
		t.Helper()
		began, first := time.Now(), g.http.Transport.(*watched)
		late := first.late.Load()
		for range n {
			if err := g.put(t.Context(), "nd", row); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			got, err := g.get(t.Context(), "nd", "row", "a:article")
			if err != nil || len(got) != 1 {
				t.Fatalf("%s: read %v, %v", what, got, err)
			}
			rows := 0
			if err := g.scan(t.Context(), "nd", "a:article", "", "", func(cell) error { rows++; return nil }); err != nil || rows != 1 {
				t.Fatalf("%s: scanned %d, %v", what, rows, err)
			}
		}
		return 1 + int(time.Since(began)/asideTime) + int(first.late.Load()-late)
	}
	client := func(addrs string) *gateways {
		t.Helper()
		g, err := dial(addrs)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.close)
		g.http.Transport = &watched{Transport: g.http.Transport.(*http.Transport), first: h.Gateway.Addr}
		return g
	}
	g := client(h.Gateway.Addr + "," + second.Addr)
	if err := g.ensure(t.Context(), "nd", "a"); err != nil {
		t.Fatal(err)
	}
	work(g, "both", 4)
	if err := second.Pause(); err != nil {
		t.Fatal(err)
	}
	aside := g.all[1]
	work(g, "one hangs", 2)
	if aside.aside.Load() == 0 {
		t.Error("a gateway that hangs is not left aside")
	}
	others := &g.http.Transport.(*watched).others
	others.Store(0)
	if most := work(g, "one hangs still", 20); others.Load() > int64(most) {
		t.Errorf("a gateway that hangs was asked %d times by 60 requests, want %d at most", others.Load(), most)
	}
	second.Kill()
	aside.aside.Store(1) // its time is over
	work(g, "one was killed", 20)
	if aside.aside.Load() <= 1 {
		t.Error("a gateway that was killed is not left aside")
	}
	second.Start(t)
	for end := time.Now().Add(time.Minute); aside.aside.Load() != 0; { // its first answers are slow
		if time.Now().After(end) {
			t.Fatal("a gateway that is back is left aside")
		}
		aside.aside.Store(1)
		work(g, "it is back", 1)
	}

	g = client(h.Gateway.Addr + "," + impostor.Listener.Addr().String())
	for _, what := range []string{"503", "401", "page", "not found", "cut"} {
		kind.Store(what)
		g.all[1].aside.Store(0)
		asked.Store(0)
		most := work(g, what, 20)
		if n := asked.Load(); n == 0 || n > int64(most) {
			t.Errorf("a gateway that answers %s was asked %d times by 60 requests, want once, and %d times at most", what, n, most)
		}
	}
	g = client(impostor.Listener.Addr().String())
	kind.Store("not found")
	if _, err := g.get(t.Context(), "nd", "row", ""); err == nil || absent(err) {
		t.Errorf("the page of another server was taken for an answer of HBase: %v", err)
	}
}
