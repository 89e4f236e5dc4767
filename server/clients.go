package server

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// maxClients bounds how many clients are remembered.
const maxClients = 10_000

// client is who sends requests: a token, or an address where none is needed.
type client struct {
	limiter  *rate.Limiter
	inFlight atomic.Int64
	long     atomic.Int64 // of them with a long body
}

// spend takes n articles out of the allowance; false if there are not so many.
func (c *client) spend(n int) bool { return c.limiter.AllowN(time.Now(), n) }

// clients remembers the clients seen last.
type clients struct {
	limits Limits
	mu     sync.Mutex
	known  map[string]*client
}

// enter finds a client and counts a request of it; false if it has too many.
func (cs *clients) enter(name string) (*client, bool) {
	cs.mu.Lock()
	c, ok := cs.known[name]
	if !ok {
		if len(cs.known) >= maxClients {
			cs.forget()
		}
		c = &client{limiter: rate.NewLimiter(rate.Limit(cs.limits.Rate), cs.limits.Burst)}
		cs.known[name] = c
	}
	n := c.inFlight.Add(1)
	cs.mu.Unlock()
	if n > int64(cs.limits.PerClient) {
		c.inFlight.Add(-1)
		return c, false
	}
	return c, true
}

// forget drops those that ask for nothing and have their whole allowance; if
// there are none, half of the idle ones, whose allowance starts anew.
func (cs *clients) forget() {
	for _, all := range []bool{false, true} {
		for name, c := range cs.known {
			full := c.limiter.Tokens() >= float64(c.limiter.Burst())
			if c.inFlight.Load() == 0 && (full || all && len(cs.known) > maxClients/2) {
				delete(cs.known, name)
			}
		}
		if len(cs.known) < maxClients {
			return
		}
	}
}

// address names a client by where it comes from: an IPv4 address, or the /64
// that one IPv6 customer has.
func address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap(); ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
