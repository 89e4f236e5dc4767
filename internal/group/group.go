// Package group does at once what many ask for.
package group

import (
	"context"
	"sync"
)

// Calls runs one call at a time for all who wait: who comes while one runs is in the next, so each has
// one that began after it came.
type Calls[T any] struct {
	run     func([]*T)
	mu      sync.Mutex // guards what follows
	next    *call[T]
	running bool
	closed  bool
	work    sync.WaitGroup
}

type call[T any] struct {
	all  []*T
	done chan struct{}
}

// New returns Calls of run, which bounds its time itself and answers in what it is given. Close must be called.
func New[T any](run func([]*T)) *Calls[T] { return &Calls[T]{run: run} }

// Do returns once a call has answered one. Where ctx ends before, or all is closed, that is never to be read.
func (c *Calls[T]) Do(ctx context.Context, one *T) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return context.Canceled
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

// take runs calls until nobody waits.
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

// Close waits for what runs, and takes no more.
func (c *Calls[T]) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.work.Wait()
}
