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
