package inorder

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Each calls fn for the numbers from 0 to n-1 in any order, with the given number of workers (0: all cores).
// It stops at the first error or when ctx ends.
func Each(ctx context.Context, workers, n int, fn func(i int) error) error {
	return EachWith(ctx, workers, n, func() func(int) error { return fn })
}

// EachWith runs like Each, but begin makes a separate function for each worker.
func EachWith(ctx context.Context, workers, n int, begin func() func(i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(workers, n) {
		fn := begin()
		g.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := fn(i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}
