//go:build full

package main

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A server tells systemd that it is ready, that it lives, and that it stops.
func TestSystemd(t *testing.T) {
	dir, err := os.MkdirTemp("", "sd") // the path of a socket must be short
	fatal(t, err)
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	fatal(t, err)
	defer l.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "2000")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stderr, ended := &syncBuffer{}, make(chan int, 1)
	args := []string{"serve", "--data", filepath.Join(t.TempDir(), "data"), "--addr", "127.0.0.1:0", "--metrics-addr", "off"}
	go func() {
		code := run(ctx, args, strings.NewReader(""), io.Discard, stderr)
		c, err := net.Dial("unixgram", socket)
		if err == nil {
			_, err = c.Write([]byte("ended")) // is read after what the server wrote
		}
		if err != nil {
			l.Close()
		}
		ended <- code
	}()
	var said []string
	for b := make([]byte, 100); ; {
		n, err := l.Read(b)
		if err != nil || string(b[:n]) == "ended" {
			break
		}
		if state := string(b[:n]); !slices.Contains(said, state) {
			said = append(said, state)
		}
		if len(said) == 2 {
			stop()
		}
	}
	if code := <-ended; code != exitDone || len(said) != 3 || said[2] != "STOPPING=1" || !slices.Contains(said, "READY=1") || !slices.Contains(said, "WATCHDOG=1") {
		t.Errorf("exit %d, systemd was told %q: %s", code, said, stderr.String())
	}
}
