// Package group combines concurrent requests into one call.
package group

import (
	"context"
	"fmt"
	"sync"
)

// ErrClosed is returned for a request after Close. It wraps context.Canceled.
var ErrClosed = fmt.Errorf("closed: %w", context.Canceled)

// Calls runs one call at a time for all waiting requests. A request that arrives during a call joins the next call, so each
// call begins after its requests arrived. The owner must call Close.
type Calls[T any] struct {
	run     func([]*T)
	mu      sync.Mutex // protects the fields below
	next    *call[T]
	running bool
	closed  bool
	work    sync.WaitGroup
}

type call[T any] struct {
	all  []*T
	done chan struct{}
}

// New returns Calls that call run. run must limit its own duration, and write its answers into its arguments.
func New[T any](run func([]*T)) *Calls[T] { return &Calls[T]{run: run} }

// Do waits until a call has answered one. After an error, the caller must not read one, which a call may still write.
func (c *Calls[T]) Do(ctx context.Context, one *T) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	if c.next == nil {
		c.next = &call[T]{done: make(chan struct{})}
	}
	own := c.next
	own.all = append(own.all, one)
	if !c.running {
		c.running = true
		c.work.Go(c.take)
	}
	c.mu.Unlock()
	select {
	case <-own.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take runs calls until no request is waiting.
func (c *Calls[T]) take() {
	for {
		c.mu.Lock()
		own := c.next
		c.next = nil
		c.running = own != nil
		c.mu.Unlock()
		if own == nil {
			return
		}
		c.run(own.all)
		close(own.done)
	}
}

// Close waits for the running call and rejects new requests.
func (c *Calls[T]) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.work.Wait()
}
