package services

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// SlowLink is a link to a server that passes on answers slowly, or not at all.
type SlowLink struct {
	Addr string
	Rate atomic.Int64 // bytes per second; at 0 nothing arrives

	mu   sync.Mutex
	open []net.Conn
}

// StartSlowLink listens for connections to a server.
func StartSlowLink(t testing.TB, server string, rate int64) *SlowLink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &SlowLink{Addr: listener.Addr().String()}
	l.Rate.Store(rate)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			l.mu.Lock()
			l.open = append(l.open, client, there)
			l.mu.Unlock()
			work.Go(func() { _, _ = io.Copy(there, client); there.Close() })
			work.Go(func() { l.pass(there, client); client.Close() })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.mu.Lock()
		for _, c := range l.open {
			c.Close()
		}
		l.mu.Unlock()
		work.Wait()
	})
	return l
}

// pass passes on what the server sends, in pieces of at most 50 ms.
func (l *SlowLink) pass(server io.Reader, client io.Writer) {
	const pause = 50 * time.Millisecond
	buffer := make([]byte, 256<<10)
	for {
		most := min(l.Rate.Load()*int64(pause)/int64(time.Second), int64(len(buffer)))
		if most > 0 {
			n, err := server.Read(buffer[:most])
			if _, failed := client.Write(buffer[:n]); failed != nil || err != nil {
				return
			}
		} else if _, err := client.Write(nil); err != nil {
			return
		}
		time.Sleep(pause)
	}
}
