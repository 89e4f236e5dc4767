package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
)

// A store that lies elsewhere is asked so often whether it is there, and is away once it
// has not answered for so long: together less than a second.
const (
	reachPause = 250 * time.Millisecond
	reachWait  = 600 * time.Millisecond
)

// reach knows whether the store is there. While it is away requests are refused at once,
// and those that wait for it are ended.
type reach struct {
	mu   sync.Mutex
	here context.Context // ends, with the reason, when the store goes away
	gone context.CancelCauseFunc
	told atomic.Bool // in the log, that it takes no writes
}

// back says that the store is there.
func (r *reach) back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.here == nil || r.here.Err() != nil {
		r.here, r.gone = context.WithCancelCause(context.Background())
	}
}

// now is a context that ends when the store goes away.
func (r *reach) now() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.here
}

// away is why the store cannot be reached; nil while it can.
func (r *reach) away() error { return context.Cause(r.now()) }

// watch asks until ctx ends, and tells when the store goes, with the reason, and when it
// is back, with nil.
func (r *reach) watch(ctx context.Context, ask func(context.Context) error, tell func(error)) {
	tick := time.NewTicker(reachPause)
	defer tick.Stop()
	for {
		once, done := context.WithTimeout(ctx, reachWait)
		err := ask(once)
		done()
		if ctx.Err() != nil {
			return
		}
		was := r.away() != nil
		if err == nil {
			r.back()
		} else {
			r.gone(fmt.Errorf("%w: it does not answer: %w", docid.ErrUnavailable, err))
		}
		if was != (err != nil) {
			tell(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// within is a context of a request that ends when the store goes away, too.
func (r *reach) within(ctx context.Context) (context.Context, func()) {
	here := r.now()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(here, func() { cancel(context.Cause(here)) })
	return ctx, func() { stop(); cancel(nil) }
}

// ended is why a request failed: where its context ended because the store went away, that.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && errors.Is(cause, docid.ErrUnavailable) {
		return cause
	}
	return err
}
