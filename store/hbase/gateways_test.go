package hbase

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/services"
)

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
	// work makes so many requests of each kind, and the result is how long that took.
	work := func(g *gateways, what string, n int) time.Duration {
		t.Helper()
		began := time.Now()
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
		return time.Since(began)
	}
	client := func(addrs string) *gateways {
		t.Helper()
		g, err := dial(addrs)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.close)
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
	if took := work(g, "one hangs still", 20); took >= 20*patience { // that of each
		t.Errorf("60 requests beside a gateway that hangs took %s", took)
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
		work(g, what, 20)
		if n := asked.Load(); n == 0 || n > 2 {
			t.Errorf("a gateway that answers %s was asked %d times by 60 requests, want once", what, n)
		}
	}
	g = client(impostor.Listener.Addr().String())
	kind.Store("not found")
	if _, err := g.get(t.Context(), "nd", "row", ""); err == nil || absent(err) {
		t.Errorf("the page of another server was taken for an answer of HBase: %v", err)
	}
}
