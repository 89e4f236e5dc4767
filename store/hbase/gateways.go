package hbase

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// gateways is a client of one or more REST gateways over the same HBase. A
// request goes to one, and to the next where that fails or is late: every
// request of this package may be sent twice, since a cell's timestamp decides.
type gateways struct {
	all  []*gateway
	http *http.Client
	next atomic.Uint32
	work sync.WaitGroup // requests
}

// gateway is one of them. Who failed while another did not is left aside for a while;
// then one call tries it again, so that one which hangs costs one call its patience
// now and then and not each of them.
type gateway struct {
	base  string
	aside atomic.Int64 // until when, in nanoseconds after begin; 0: it is not
}

var begin = time.Now() // so that times are those of the monotonic clock

const (
	// callTime bounds one request to one gateway.
	callTime = 15 * time.Second
	// patience is how long one is waited for before the next is asked as well.
	patience = time.Second
	// asideTime is how long one is left aside.
	asideTime = 10 * time.Second
)

// answer is what a gateway says.
type answer struct {
	body   []byte
	header http.Header
}

// call sends a request to a gateway that answers.
func (g *gateways) call(ctx context.Context, method, path string, body []byte) (answer, error) {
	return g.one(ctx, func(ctx context.Context, base string) (answer, error) {
		return g.ask(ctx, method, base+path, body)
	})
}

// one has a gateway do something: the next one as well once that takes longer than
// patience, or fails. The first answer counts; what is still under way is given up.
// That a row is not there is an answer; the errors of all are returned together.
func (g *gateways) one(ctx context.Context, do func(ctx context.Context, base string) (answer, error)) (answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type outcome struct {
		by  int
		a   answer
		err error
	}
	order := g.order()
	outcomes := make(chan outcome, len(order)) // nobody waits for those that come late
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
				for i, gw := range order[:o.by] { // who was asked before, and did not say it
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

// order is in which they are asked: by turns, those that are left aside last, but for
// one whose time is over, which this call is to try.
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

// leave leaves a gateway aside.
func (gw *gateway) leave() {
	gw.aside.Store((time.Since(begin) + asideTime).Nanoseconds())
}
