package hbase

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/neardup/neardup/internal/test/services"
)

// TestGatewayIsLeftAside makes one of two gateways fail or hang, in virtual time. It must be asked once in each
// asideTime, and a request must wait for it at most patience.
func TestGatewayIsLeftAside(t *testing.T) {
	for _, test := range []struct {
		what string
		bad  func(ctx context.Context) error
		wait time.Duration // of the request that asks the gateway
	}{
		{"it fails", func(context.Context) error { return errors.New("no") }, 0},
		{"it hangs", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, patience},
	} {
		t.Run(test.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &gateways{all: []*gateway{{base: "good"}, {base: "bad"}}}
				bad := test.bad
				var asked atomic.Int64
				requests := func(want int64) { // 60
					t.Helper()
					asked.Store(0)
					began := time.Now()
					for range 60 {
						_, err := g.one(t.Context(), func(ctx context.Context, base string) (answer, error) {
							if base == "good" {
								return answer{}, nil
							}
							asked.Add(1)
							return answer{}, bad(ctx)
						})
						if err != nil {
							t.Fatal(err)
						}
					}
					g.work.Wait()
					if n := asked.Load(); n != want {
						t.Errorf("60 requests asked it %d times, want %d", n, want)
					}
					if took := time.Since(began); took != time.Duration(want)*test.wait {
						t.Errorf("the requests took %v, want %v", took, time.Duration(want)*test.wait)
					}
				}
				requests(1)
				time.Sleep(asideTime - time.Nanosecond)
				requests(0)
				time.Sleep(time.Nanosecond)
				requests(1)
				time.Sleep(asideTime)
				bad, test.wait = func(context.Context) error { return nil }, 0
				requests(30) // it is back and gets its share
			})
		})
	}
}

// gatewaysAside kills one of two real gateways, or lets it hang, answer errors or be another service. No
// request may fail, and the gateway must be set aside until it is back.
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
	work := func(g *gateways, what string, n int) {
		t.Helper()
		for range n {
			if err := patient(func() error { return g.put(t.Context(), "nd", row) }); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			var got []cell
			err := patient(func() (err error) { got, err = g.get(t.Context(), "nd", "row", "a:article"); return err })
			if err != nil || len(got) != 1 {
				t.Fatalf("%s: read %v, %v", what, got, err)
			}
			rows := 0
			if err := g.scan(t.Context(), "nd", "a:article", "", "", func(cell) error { rows++; return nil }); err != nil || rows != 1 {
				t.Fatalf("%s: scanned %d, %v", what, rows, err)
			}
		}
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
		if asked.Load() == 0 || g.all[1].aside.Load() == 0 {
			t.Errorf("a gateway that answers %s was asked %d times, and is not left aside", what, asked.Load())
		}
	}
	g = client(impostor.Listener.Addr().String())
	kind.Store("not found")
	if _, err := g.get(t.Context(), "nd", "row", ""); err == nil || absent(err) {
		t.Errorf("the page of another server was taken for an answer of HBase: %v", err)
	}
}

// patient retries a call that timed out, because the gateway shares a busy machine with HBase.
func patient(call func() error) (err error) {
	for range 3 {
		if err = call(); err == nil || !strings.Contains(err.Error(), "timeout awaiting response headers") {
			return err
		}
	}
	return err
}
