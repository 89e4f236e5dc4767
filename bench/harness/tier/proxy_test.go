package tier_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy stands between a client and a server and does to their connections what
// networks do.
type proxy struct {
	addr     string
	listener net.Listener
	target   atomic.Value // string
	delay    atomic.Int64 // of each piece, in nanoseconds
	silent   atomic.Bool  // what the server says is dropped
	torn     atomic.Bool  // half of the next piece the server says, then the end
	doubled  atomic.Bool  // new connections: what the client says is also said on a second one
	refusing atomic.Bool

	mu    sync.Mutex
	open  map[net.Conn]bool
	ended bool
	work  sync.WaitGroup
}

func newProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), listener: l, open: map[net.Conn]bool{}}
	p.target.Store(target)
	p.work.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.cut()
		p.work.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.serve(c) })
	}
}

// hold remembers a connection, to be cut; false once the proxy has ended.
func (p *proxy) hold(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = !p.ended
	return !p.ended
}

func (p *proxy) drop(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// cut resets every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // it may be closed already
		}
		c.Close()
	}
}

func (p *proxy) serve(client net.Conn) {
	defer p.drop(client)
	if !p.hold(client) || p.refusing.Load() {
		return
	}
	server, err := net.Dial("tcp", p.target.Load().(string))
	if err != nil {
		return
	}
	defer p.drop(server)
	if !p.hold(server) {
		return
	}
	to := io.Writer(server)
	if p.doubled.Load() {
		if second, err := net.Dial("tcp", p.target.Load().(string)); err == nil {
			defer p.drop(second)
			if p.hold(second) {
				p.work.Go(func() { _, _ = io.Copy(io.Discard, second) }) // until it is closed
				to = both{server, second}
			}
		}
	}
	var directions sync.WaitGroup
	directions.Go(func() {
		p.pass(client, to, false)
		server.Close()
	})
	p.pass(server, client, true)
	client.Close()
	directions.Wait()
}

// both writes to the second, whatever becomes of that, and then to the first.
type both struct{ first, second io.Writer }

func (b both) Write(p []byte) (int, error) {
	_, _ = b.second.Write(p)
	return b.first.Write(p)
}

// pass hands on what one side says, until an end.
func (p *proxy) pass(from io.Reader, to io.Writer, answers bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if d := p.delay.Load(); d > 0 {
			time.Sleep(time.Duration(d))
		}
		if answers && p.torn.Load() {
			_, _ = to.Write(buffer[:n/2])
			return
		}
		if n > 0 && !(answers && p.silent.Load()) {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
