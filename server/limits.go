package server

import "time"

// Limits that no configuration changes.
const (
	maxHeaders    = 16 << 10      // bytes of all headers
	maxURL        = 16 << 10      // bytes of a request target, but for the classic route
	maxClassicURL = 256 << 10     // the article is in the URL; longer ones are POSTed
	maxBody       = 4 << 20       // bytes of a request body
	maxText       = 1 << 20       // bytes of one text
	maxField      = 16 << 10      // bytes of every other field of an article
	maxID         = 256           // bytes of a nid or an idempotency key
	maxPage       = 100           // articles of a batch, rows of a page
	maxSeconds    = 3_153_600_000 // bound of a time to live or a window: a hundred years
	maxReceived   = 256 << 10     // bytes of bodies that wait in one connection of HTTP/2
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
