//go:build !linux && !darwin

package main

import (
	"context"
	"io"
)

// interruptible returns r: only an interrupt between two reads is seen here.
func interruptible(_ context.Context, r io.Reader) io.Reader { return r }
