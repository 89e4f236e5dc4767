package mysql

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/neardup/neardup/internal/test/services"
)

// TestCloseOfBroken checks that a sink with a reset connection closes without an error, however it detects the
// reset.
func TestCloseOfBroken(t *testing.T) {
	m := services.MariaDB(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var mu sync.Mutex
	var open []*net.TCPConn
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", m.Addr)
			if err != nil {
				c.Close()
				return
			}
			mu.Lock()
			open = append(open, c.(*net.TCPConn))
			mu.Unlock()
			go func() { _, _ = io.Copy(server, c); server.Close() }()
			go func() { _, _ = io.Copy(c, server); c.Close() }()
		}
	}()
	s, err := Open(t.Context(), Options{Address: "mysql://root@" + l.Addr().String() + "/neardup"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Cursor(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, c := range open {
		_ = c.SetLinger(0) // resets the connection
		c.Close()
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
