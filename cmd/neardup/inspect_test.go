//go:build full

package main

import (
	"context"
	"errors"
	"testing"
)

// A request that has ended is not measured.
func TestInspectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if got, err := inspect(ctx, "one text", "one text more"); err != nil || len(got.Scales) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	cancel()
	if got, err := inspect(ctx, "one text", "one text more"); !errors.Is(err, context.Canceled) || len(got.Scales) > 0 {
		t.Errorf("after its context: %+v, %v", got, err)
	}
}
