//go:build full

package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// A waiting client prints once that it waits, with the server's reason, unless the run is quiet.
func TestWaitingIsTold(t *testing.T) {
	for _, c := range []struct {
		quiet []string
		want  int
	}{{nil, 1}, {[]string{"-q"}, 0}} {
		var asked atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) <= 4 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_, _ = io.WriteString(w, `{"answers":[{"answer":{"id":"-:1","decision":"new","docId":"d","seq":1}}]}`)
		}))
		var told strings.Builder
		args := append([]string{"add", "--server", s.URL, "--format", "lines", "-"}, c.quiet...)
		code := run(t.Context(), args, strings.NewReader("a text\n"), io.Discard, &told)
		s.Close()
		if said := "no answer yet: 502 Bad Gateway: " + s.URL + "/v1/batch was not answered by neardup serve; retrying for 30 seconds\n"; code != exitDone || strings.Count(told.String(), said) != c.want {
			t.Errorf("%v: exit code %d, %q", c.quiet, code, told.String())
		}
	}
}

// The error for a taken port names the flag that sets another port.
func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(t, err)
	defer l.Close()
	for _, args := range [][]string{{"--metrics-addr", "off", "--addr"}, {"--addr", "127.0.0.1:0", "--metrics-addr"}} {
		var told strings.Builder
		code := run(t.Context(), append(append([]string{"serve", "--data", t.TempDir()}, args...), l.Addr().String()), nil, io.Discard, &told)
		if want := "neardup: " + args[2] + ": listen tcp " + l.Addr().String() + ": "; code != exitFailed || !strings.Contains(told.String(), want) {
			t.Errorf("exit code %d, %q, want %q", code, told.String(), want)
		}
	}
}
