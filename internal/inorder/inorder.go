// Package inorder runs work on all cores: over a stream, with the results in the order of the stream, or over
// numbers in any order.
package inorder

import (
	"context"
	"errors"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Map calls work for each value of next, until next returns io.EOF. It uses the given number of workers (0: all cores). It
// calls emit with the results, one at a time and in the order of the values. It holds only a few values per worker.
func Map[T, R any](ctx context.Context, workers int, next func() (T, error), work func(T) R, emit func(R) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	type job struct {
		value T
		done  chan R
	}
	g, ctx := errgroup.WithContext(ctx)
	jobs, queue := make(chan job), make(chan chan R, 2*workers)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		for {
			v, err := next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			j := job{v, make(chan R, 1)}
			if err := send(ctx, queue, j.done); err != nil {
				return err
			}
			if err := send(ctx, jobs, j); err != nil {
				return err
			}
		}
	})
	for range workers {
		g.Go(func() error {
			for j := range jobs {
				j.done <- work(j.value)
			}
			return nil
		})
	}
	g.Go(func() error {
		for done := range queue {
			select {
			case result := <-done:
				if err := emit(result); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}

// send sends v unless the context ends first.
func send[T any](ctx context.Context, to chan<- T, v T) error {
	select {
	case to <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
