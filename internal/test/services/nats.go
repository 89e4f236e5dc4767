package services

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var errNoJetStream = errors.New("it has no JetStream yet")

// NATS starts a server with JetStream, which stores streams on disk.
func NATS(t testing.TB) *Server {
	t.Helper()
	s := &Server{name: "nats-server", Addr: FreeAddr(t), Dir: folder(t, "nats")}
	host, port, _ := net.SplitHostPort(s.Addr)
	s.argv = []string{program(t, "nats-server", filepath.Join("nats", "nats-server")), "--addr", host, "--port", port, "--jetstream", "--store_dir", s.Dir}
	s.ready = func(addr string) error {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Second))
		said := make([]byte, 1024)
		n, err := c.Read(said)
		if err == nil && !strings.Contains(string(said[:n]), `"jetstream":true`) {
			err = errNoJetStream
		}
		return err
	}
	return run(t, s)
}
