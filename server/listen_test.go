package server_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/server"
)

// bounded serves on n places and returns where, and how to ask on a connection
// that stays open.
func bounded(t *testing.T, n int, h http.Handler) (addr string, ask func(net.Conn) string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := server.Bound(l, n)
	srv := server.NewHTTP(h, slogDiscard())
	srv.ConnState = b.State
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(b) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return l.Addr().String(), func(c net.Conn) string {
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
		line := make([]byte, 512)
		n, _ := c.Read(line)
		status, _, _ := strings.Cut(string(line[:n]), "\r\n")
		return status
	}
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

var alive = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "alive") })

// Idle connections, and those that never send a request, take no place from others.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	for _, used := range []bool{true, false} {
		addr, ask := bounded(t, 16, alive)
		for i := range 50 {
			c := dial(t, addr)
			if used {
				if got := ask(c); !strings.Contains(got, "200") {
					t.Fatalf("connection %d: %q", i, got)
				}
			}
		}
		if got := ask(dial(t, addr)); !strings.Contains(got, "200") {
			t.Errorf("used %v: a client beside them got %q", used, got)
		}
	}
}

// A client that uses all places of its address gets no more, and takes none of other addresses.
func TestOneAddressHasHalf(t *testing.T) {
	hold := make(chan struct{})
	working := make(chan struct{}, 16)
	addr, _ := bounded(t, 4, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		working <- struct{}{}
		<-hold
	}))
	for range 2 {
		fmt.Fprint(dial(t, addr), "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		<-working
	}
	third := dial(t, addr)
	_ = third.SetDeadline(time.Now().Add(10 * time.Second))
	if n, err := third.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a third connection of one address: %d bytes, %v; want it closed", n, err)
	}
	fmt.Fprint(dialFrom(t, "127.0.0.2", addr), "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-working // another address is served
	close(hold)
}

func dialFrom(t *testing.T, from, addr string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		t.Skipf("no second loopback address here: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A closed listener accepts no connection.
func TestAcceptAfterClose(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := server.Bound(l, 1)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := b.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accepted %v, %v", c, err)
	}
}
