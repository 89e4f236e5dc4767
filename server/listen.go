package server

import (
	"net"
	"net/http"
	"sync"
)

// MaxConnections bounds the connections of a server. One address may hold half of them, because it may be a
// proxy or an attacker.
const MaxConnections = 2048

// Bound returns a listener that holds at most n connections, half of them from one client's address. If all
// places are taken, it closes the oldest idle connection of the address with the most connections. If an
// address has too many connections and none is idle, it closes the new one. If no connection is idle at all,
// new ones wait in the queue of the system. The caller must set the http.Server's ConnState to State.
func Bound(l net.Listener, n int) *Bounded {
	b := &Bounded{Listener: l, most: n, each: max(1, n/2), from: map[string]*peer{}}
	b.room = sync.NewCond(&b.mu)
	return b
}

// Bounded is a listener with a limited number of connections.
type Bounded struct {
	net.Listener
	most, each int

	mu     sync.Mutex
	room   *sync.Cond // signals a free place, an idle connection, or the end of the listener
	held   int
	from   map[string]*peer
	closed bool
	turn   uint64 // a counter that orders the idle connections by age
}

// A peer holds the connections of an address.
type peer struct {
	held int
	idle map[*connection]uint64 // connection -> when it became idle, as a value of turn
}

// A connection frees its place when it is closed.
type connection struct {
	net.Conn
	in   *Bounded
	from string
	once sync.Once
}

// Accept waits for a place and then for a connection.
func (b *Bounded) Accept() (net.Conn, error) {
	for {
		if !b.wait() {
			return nil, net.ErrClosed
		}
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if p := b.take(c); p != nil {
			return p, nil
		}
		_ = c.Close() // the address has too many connections
	}
}

// wait waits for a free place. It returns false after the listener is closed.
func (b *Bounded) wait() bool {
	for {
		b.mu.Lock()
		var victim *connection
		for b.held >= b.most && !b.closed {
			victim = b.oldest(b.largest())
			if victim != nil {
				break
			}
			b.room.Wait()
		}
		closed := b.closed
		b.mu.Unlock()
		if victim == nil {
			return !closed
		}
		_ = victim.Close()
	}
}

// take gives a connection a place. If its address has too many, it closes the oldest idle one.
func (b *Bounded) take(c net.Conn) *connection {
	p := &connection{Conn: c, in: b, from: address(c.RemoteAddr().String())}
	b.mu.Lock()
	of := b.from[p.from]
	if of == nil {
		of = &peer{idle: map[*connection]uint64{}}
		b.from[p.from] = of
	}
	var victim *connection
	if of.held >= b.each {
		victim = b.oldest(of)
		if victim == nil {
			b.mu.Unlock()
			return nil
		}
	}
	b.held++
	of.held++
	b.turn++
	of.idle[p] = b.turn
	b.mu.Unlock()
	if victim != nil {
		_ = victim.Close()
	}
	return p
}

// largest returns the address with the most connections among those with an idle one.
func (b *Bounded) largest() (most *peer) {
	for _, of := range b.from {
		if len(of.idle) > 0 && (most == nil || of.held > most.held) {
			most = of
		}
	}
	return most
}

// oldest removes and returns the connection that has been idle longest, or nil if none is idle.
func (b *Bounded) oldest(of *peer) (oldest *connection) {
	if of == nil {
		return nil
	}
	for p, since := range of.idle {
		if oldest == nil || since < of.idle[oldest] {
			oldest = p
		}
	}
	delete(of.idle, oldest)
	return oldest
}

// State records which connections are idle.
func (b *Bounded) State(c net.Conn, s http.ConnState) {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok { // a TLS connection
		c = over.NetConn()
	}
	p, ok := c.(*connection)
	if !ok || (s != http.StateIdle && s != http.StateActive) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.from[p.from]
	if of == nil {
		return // it was closed before
	}
	delete(of.idle, p)
	if s == http.StateIdle {
		b.turn++
		of.idle[p] = b.turn
		b.room.Signal()
	}
}

// Close closes the listener and ends Accept.
func (b *Bounded) Close() error {
	b.mu.Lock()
	b.closed = true
	b.room.Broadcast()
	b.mu.Unlock()
	return b.Listener.Close()
}

// Close closes the connection and frees its place.
func (p *connection) Close() error {
	err := p.Conn.Close()
	p.once.Do(p.leave)
	return err
}

func (p *connection) leave() {
	b := p.in
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.from[p.from]
	delete(of.idle, p)
	of.held--
	if of.held == 0 {
		delete(b.from, p.from)
	}
	b.held--
	b.room.Signal()
}
