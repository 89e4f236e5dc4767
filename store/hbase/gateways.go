package hbase

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// gateways is a client of one or more REST gateways of the same HBase. If a gateway fails or is late, the
// request is also sent to the next. Every request may be repeated, because the timestamp of a cell decides.
type gateways struct {
	all  []*gateway
	http *http.Client
	next atomic.Uint32
	work sync.WaitGroup // running requests
}

// gateway is a REST gateway. If it failed and another did not, it is set aside for a while. After that, one call tries it
// again. So a hanging gateway only delays a call from time to time.
type gateway struct {
	base  string
	aside atomic.Int64 // when that ends, in nanoseconds after begin, or 0
}

var begin = time.Now() // begin is the origin of times of the monotonic clock.

const (
	// callTime limits one request to one gateway.
	callTime = 15 * time.Second
	// patience is the time after which a call also sends the request to the next gateway.
	patience = time.Second
	// asideTime is how long a gateway is set aside.
	asideTime = 10 * time.Second
)

// answer is the response of a gateway.
type answer struct {
	body   []byte
	header http.Header
}

// call sends a request and returns the first answer of a gateway.
func (g *gateways) call(ctx context.Context, method, path string, body []byte) (answer, error) {
	return g.one(ctx, func(ctx context.Context, base string) (answer, error) {
		return g.ask(ctx, method, base+path, body)
	})
}

// one runs do with a gateway, and also with the next one after patience or a failure. It uses the first answer and cancels
// the other requests. That a row is absent is an answer as well. If all fail, it returns all errors.
func (g *gateways) one(ctx context.Context, do func(ctx context.Context, base string) (answer, error)) (answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type outcome struct {
		by  int
		a   answer
		err error
	}
	order := g.order()
	outcomes := make(chan outcome, len(order)) // buffered, because no goroutine receives late ones
	begun := 0
	late := time.NewTimer(patience)
	defer late.Stop()
	ask := func() {
		if begun == len(order) {
			return
		}
		by := begun
		begun++
		late.Reset(patience)
		g.work.Go(func() {
			a, err := do(ctx, order[by].base)
			outcomes <- outcome{by, a, err}
		})
	}
	ask()
	var failed error
	over := make([]bool, len(order))
	for done := 0; done < len(order); {
		select {
		case o := <-outcomes:
			done++
			over[o.by] = true
			if o.err == nil || absent(o.err) {
				for i, gw := range order[:o.by] { // requests without an answer so far
					if !over[i] {
						gw.leave()
					}
				}
				order[o.by].aside.Store(0)
				return o.a, o.err
			}
			if ctx.Err() != nil {
				return answer{}, o.err
			}
			failed = errors.Join(failed, o.err)
			order[o.by].leave()
			ask()
		case <-late.C:
			ask()
		}
	}
	return answer{}, failed
}

// order returns the gateways in the order of the requests. They rotate, and those set aside come last. If the time of one
// is over, this call tries it first.
func (g *gateways) order() []*gateway {
	first, now := g.next.Add(1), time.Since(begin).Nanoseconds()
	var try, good, bad []*gateway
	for i := range g.all {
		gw := g.all[(int(first%uint32(len(g.all)))+i)%len(g.all)]
		switch until := gw.aside.Load(); {
		case until == 0:
			good = append(good, gw)
		case until <= now && len(try) == 0 && gw.aside.CompareAndSwap(until, now+asideTime.Nanoseconds()):
			try = append(try, gw)
		default:
			bad = append(bad, gw)
		}
	}
	return append(append(try, good...), bad...)
}

// leave sets a gateway aside.
func (gw *gateway) leave() {
	gw.aside.Store((time.Since(begin) + asideTime).Nanoseconds())
}
