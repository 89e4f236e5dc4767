//go:build full

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/services"
)

// If its log is away, a server waits for it at its start, and /readyz reports that. The server can be stopped
// meanwhile.
func TestServeAwaitsItsLog(t *testing.T) {
	if testing.Short() {
		t.Skip("Redis is a process of its own")
	}
	redis := services.Redis(t)
	stderr := &syncBuffer{}
	if code := run(t.Context(), []string{"log", "begin", "--log", "redis://" + redis.Addr}, strings.NewReader(""), io.Discard, stderr); code != exitDone {
		t.Fatalf("begin the log: exit %d: %s", code, stderr.String())
	}
	redis.Kill()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(t, err)
	fatal(t, l.Close())
	url := "http://" + l.Addr().String()
	begin := func() (stop context.CancelFunc, ended chan int) {
		ctx, stop := context.WithCancel(context.Background())
		ended = make(chan int, 1)
		args := []string{"serve", "--data", filepath.Join(t.TempDir(), "data"), "--addr", l.Addr().String(), "--metrics-addr", "off", "--log", "redis://" + redis.Addr}
		go func() { ended <- run(ctx, args, strings.NewReader(""), io.Discard, stderr) }()
		return stop, ended
	}
	// until waits for a given text in /readyz.
	until := func(want string, ended chan int) {
		t.Helper()
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		said := ""
		for range 6000 {
			if resp, err := (&http.Client{Transport: transport}).Get(url + "/readyz"); err == nil {
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				said = strings.TrimSpace(string(b))
				if said == want {
					return
				}
			}
			select {
			case code := <-ended:
				t.Fatalf("the server ended with %d: %s", code, stderr.String())
			case <-time.After(10 * time.Millisecond):
			}
		}
		t.Fatalf("/readyz says %q, want %q: %s", said, want, stderr.String())
	}
	const away = "starting: the log does not answer"
	for _, comesBack := range []bool{false, true} {
		stop, ended := begin()
		until(away, ended)
		if comesBack {
			redis.Start(t)
			until("ready", ended)
		}
		stop()
		if code := <-ended; code != exitDone {
			t.Errorf("the log comes back: %v: exit %d: %s", comesBack, code, stderr.String())
		}
	}
}
