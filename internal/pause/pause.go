// Package pause waits for a time or the end of a context.
package pause

import (
	"context"
	"time"
)

// For waits for a duration, or returns the error of a context that ends first.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Between calls turn repeatedly until ctx ends, and returns the error of ctx. The wait between turns is first, and after
// errors twice the last one, up to most. failed is called with the error of a turn and the time when the turn began.
func Between(ctx context.Context, first, most time.Duration, turn func(ctx context.Context) error, failed func(began time.Time, err error)) error {
	for wait := first; ; {
		began := time.Now()
		err := turn(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			wait = first
		default:
			wait = min(2*wait, most)
			failed(began, err)
		}
		_ = For(ctx, wait) // the next turn returns if ctx has ended
	}
}
