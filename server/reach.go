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

// The server probes a remote store every reachPause. The store counts as unreachable if it does not answer within
// reachWait. Together this takes less than a second.
const (
	reachPause = 250 * time.Millisecond
	reachWait  = 600 * time.Millisecond
)

// reach tracks whether the store answers. While it does not, requests are rejected at once, and running ones are cancelled.
type reach struct {
	mu        sync.Mutex
	reachable context.Context // cancelled with the reason when the store becomes unreachable
	cancel    context.CancelCauseFunc
	logged    atomic.Bool // the log has a line that the store accepts no writes
}

// back records that the store answers again.
func (r *reach) back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reachable == nil || r.reachable.Err() != nil {
		r.reachable, r.cancel = context.WithCancelCause(context.Background())
	}
}

// now returns a context that is cancelled when the store becomes unreachable.
func (r *reach) now() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reachable
}

// away returns why the store is unreachable, or nil.
func (r *reach) away() error { return context.Cause(r.now()) }

// watch probes the store until ctx ends. It calls report with the error when the store becomes unreachable, and with nil
// when it answers again.
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
			r.cancel(fmt.Errorf("%w: no answer: %w", docid.ErrUnavailable, err))
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

// within returns a context for a request. It is also cancelled when the store becomes unreachable.
func (r *reach) within(ctx context.Context) (context.Context, func()) {
	reachable := r.now()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(reachable, func() { cancel(context.Cause(reachable)) })
	return ctx, func() { stop(); cancel(nil) }
}

// ended returns the error of a request, or the reason if the request was cancelled because the store became unreachable.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && errors.Is(cause, docid.ErrUnavailable) {
		return cause
	}
	return err
}
