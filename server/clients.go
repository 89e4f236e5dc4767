package server

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// maxClients bounds the number of remembered clients.
const maxClients = 10_000

// A client is a source of requests: a token, or an address if no token is needed.
type client struct {
	limiter  *rate.Limiter
	inFlight atomic.Int64
	long     atomic.Int64 // requests with a long body
}

// spend takes n articles out of the allowance. It returns false if fewer are left.
func (c *client) spend(n int) bool { return c.limiter.AllowN(time.Now(), n) }

// clients holds the most recent clients.
type clients struct {
	limits Limits
	mu     sync.Mutex
	known  map[string]*client
}

// enter looks up a client and counts its request. It returns false if the client has too many requests.
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

// forget drops idle clients with a full allowance. If there are none, it drops half of the idle ones, which
// then get a full allowance.
func (cs *clients) forget() {
	for _, all := range []bool{false, true} {
		for name, c := range cs.known {
			full := c.limiter.Tokens() >= float64(c.limiter.Burst())
			if c.inFlight.Load() == 0 && (full || (all && len(cs.known) > maxClients/2)) {
				delete(cs.known, name)
			}
		}
		if len(cs.known) < maxClients {
			return
		}
	}
}

// address returns the name of a client: its IPv4 address, or its /64 of IPv6, because one customer has a whole /64.
func address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap()
	if ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
