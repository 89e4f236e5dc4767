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

// The server probes a remote store every reachPause. The store is away if it does not answer within
// reachWait. Together this takes less than a second.
const (
	reachPause = 250 * time.Millisecond
	reachWait  = 600 * time.Millisecond
)

// reach tracks whether the store answers. While the store is away, requests are rejected at once, and waiting
// ones are cancelled.
type reach struct {
	mu        sync.Mutex
	reachable context.Context // cancelled with the reason when the store goes away
	cancel    context.CancelCauseFunc
	logged    atomic.Bool // in the log, that it takes no writes
}

// back records that the store answers.
func (r *reach) back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reachable == nil || r.reachable.Err() != nil {
		r.reachable, r.cancel = context.WithCancelCause(context.Background())
	}
}

// now returns a context that is cancelled when the store goes away.
func (r *reach) now() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reachable
}

// away returns why the store cannot be reached, or nil if it can.
func (r *reach) away() error { return context.Cause(r.now()) }

// watch probes the store until ctx ends. It calls report with the error when the store goes away, and with nil
// when it is back.
func (r *reach) watch(ctx context.Context, ask func(context.Context) error, report func(error)) {
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
			r.cancel(fmt.Errorf("%w: it does not answer: %w", docid.ErrUnavailable, err))
		}
		if was != (err != nil) {
			report(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// within returns a context for a request that is also cancelled when the store goes away.
func (r *reach) within(ctx context.Context) (context.Context, func()) {
	reachable := r.now()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(reachable, func() { cancel(context.Cause(reachable)) })
	return ctx, func() { stop(); cancel(nil) }
}

// ended returns the error of a request, or the reason if it was cancelled because the store went away.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && errors.Is(cause, docid.ErrUnavailable) {
		return cause
	}
	return err
}
