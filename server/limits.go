package server

import "time"

// Limits that no configuration changes.
const (
	maxHeaders    = 16 << 10      // size of all headers, in bytes
	maxURL        = 16 << 10      // size of a request target, in bytes, except for the classic route
	maxClassicURL = 256 << 10     // the classic route has the article in the URL; longer articles must be POSTed
	maxBody       = 4 << 20       // size of a request body, in bytes
	maxText       = 1 << 20       // size of a text, in bytes
	maxField      = 16 << 10      // size of every other field of an article, in bytes
	maxID         = 256           // size of a nid or an idempotency key, in bytes
	maxPage       = 100           // articles of a batch, or rows of a page
	maxSeconds    = 3_153_600_000 // limit of a TTL or a window: a hundred years
	maxReceived   = 256 << 10     // bytes of bodies that wait in an HTTP/2 connection
)

// Limits bounds the concurrent work for clients. The zero value selects the defaults.
type Limits struct {
	// InFlight bounds all concurrent requests (default 256). PerClient bounds those of one token, or of one
	// address if no token is needed (default 192). Further requests get status 429.
	InFlight, PerClient int
	// Rate bounds the articles or other requests per second of one client (default 5,000). Burst bounds those
	// at once (default twice the rate).
	Rate  float64
	Burst int
	// Deadline ends the work on a request (default 25 s).
	Deadline time.Duration
}

func (l Limits) orDefault() Limits {
	if l.InFlight <= 0 {
		l.InFlight = 256
	}
	if l.PerClient <= 0 {
		l.PerClient = max(1, l.InFlight*3/4)
	}
	if l.Rate <= 0 {
		l.Rate = 5000
	}
	if l.Burst <= 0 {
		l.Burst = max(maxPage, int(2*l.Rate))
	}
	if l.Deadline <= 0 {
		l.Deadline = 25 * time.Second
	}
	return l
}
