package hbase

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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

// TestImpostors checks that no request fails because one of two gateways answers errors, or is another service, and
// that it is set aside. (The tier of bench/harness kills gateways and lets them hang.)
func TestImpostors(t *testing.T) {
	row := []cell{{"row", "a:article", 7, []byte("text")}}
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", protobuf)
		if r.Method == http.MethodGet {
			_, _ = w.Write(cellSet(row))
		}
	}))
	defer good.Close()
	for what, answers := range map[string]http.HandlerFunc{
		"503":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) },
		"401":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) },
		"page":      func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>welcome") },
		"not found": http.NotFound,
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", protobuf)
			w.Header().Set("Content-Length", "100")
		},
	} {
		t.Run(what, func(t *testing.T) {
			impostor := httptest.NewServer(answers)
			defer impostor.Close()
			g, err := dial(good.Listener.Addr().String() + "," + impostor.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer g.close()
			for range 20 {
				if err := g.put(t.Context(), "nd", row); err != nil {
					t.Fatal(err)
				}
				if got, err := g.get(t.Context(), "nd", "row", "a:article"); err != nil || len(got) != 1 {
					t.Fatalf("read %v, %v", got, err)
				}
			}
			if g.all[1].aside.Load() == 0 {
				t.Error("it is not set aside")
			}
			alone, err := dial(impostor.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer alone.close()
			if got, err := alone.get(t.Context(), "nd", "row", ""); err == nil || absent(err) {
				t.Errorf("its answer was taken for one of HBase: %v, %v", got, err)
			}
		})
	}
}
