package main

import (
	"context"
	"errors"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inOrder runs work over the blocks of a source, on all workers at once, and
// gives the results to emit one at a time, in the order of the input. Memory:
// a few blocks a worker.
func inOrder[T any](ctx context.Context, src *source, workers int, work func(*block) T, emit func(T) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	type job struct {
		block *block
		done  chan T
	}
	g, ctx := errgroup.WithContext(ctx)
	jobs, queue := make(chan job), make(chan chan T, 2*workers)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		for {
			b, err := src.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			j := job{b.(*block), make(chan T, 1)}
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
				j.done <- work(j.block)
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
