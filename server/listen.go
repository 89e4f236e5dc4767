package server

import (
	"net"
	"sync"
)

// MaxConnections is how many connections a server holds at one moment; more
// wait in the queue of the system.
const MaxConnections = 2048

// Bound returns a listener that holds at most n connections at one moment.
func Bound(l net.Listener, n int) net.Listener {
	return &bounded{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type bounded struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Accept waits for a place and then for a connection.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	return &place{Conn: c, give: sync.OnceFunc(func() { <-b.places })}, nil
}

// Close ends waiting, too.
func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// place is a connection that gives its place back when closed.
type place struct {
	net.Conn
	give func()
}

// Close closes the connection.
func (p *place) Close() error {
	err := p.Conn.Close()
	p.give()
	return err
}
