// Package silence restarts the timeouts of a connection with every byte that arrives. So an answer may take as long as it
// needs over a slow link.
package silence

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// Dialer connects. If TLS is not nil, it uses TLS.
type Dialer struct {
	Connect time.Duration // timeout of the connection and its handshake
	TLS     *tls.Config
}

// DialContext returns a connection whose read deadline moves with each byte that arrives.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Connect)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if d.TLS == nil {
		return &conn{Conn: c}, nil
	}
	config := d.TLS.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address) // a dialed address has a port
	}
	t := tls.Client(&conn{Conn: c}, config)
	if err := t.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return t, nil
}

type conn struct {
	net.Conn
	mu       sync.Mutex
	patience time.Duration // time from SetReadDeadline to the deadline; if not positive, the deadline does not move
}

// SetReadDeadline sets how long the connection may be silent, from now on and after each byte.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.patience = 0
	if !t.IsZero() {
		c.patience = time.Until(t)
	}
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline does the same as SetReadDeadline. It also sets a deadline for writes, which does not move.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 || err != nil {
		return n, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.patience > 0 {
		err = c.Conn.SetReadDeadline(time.Now().Add(c.patience))
	}
	return n, err
}
