package server

import "time"

// Limits that no configuration changes.
const (
	maxHeaders    = 16 << 10      // bytes of all headers
	maxURL        = 16 << 10      // bytes of a request target, but for the classic route
	maxClassicURL = 256 << 10     // there the article is in it; longer ones are POSTed
	maxBody       = 4 << 20       // bytes of a request body
	maxPictures   = 50            // of an article, as in package docid
	maxText       = 1 << 20       // bytes of one text
	maxField      = 16 << 10      // bytes of every other field of an article
	maxID         = 256           // bytes of a nid or an idempotency key
	maxPage       = 100           // articles of a batch, rows of a page
	maxSeconds    = 3_153_600_000 // of a time to live or a window: a hundred years
	maxReceived   = 256 << 10     // bytes of bodies that wait in one connection of HTTP/2
)

// Limits bound what clients may ask at one moment. The zero value is the
// default.
type Limits struct {
	// InFlight requests are worked on at one moment, PerClient of them for
	// one client (a token, or an address where none is needed); 0: 256 and
	// 192. One above is 429.
	InFlight, PerClient int
	// Rate is how many articles or other requests a second one client may
	// send, and Burst how many at once; 0: 5,000 and twice the rate.
	Rate  float64
	Burst int
	// Deadline ends the work on a request; 0: 25 s.
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
