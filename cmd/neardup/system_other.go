//go:build !linux && !darwin

package main

import (
	"os"
	"time"
)

// resources returns zeros on this system.
func resources() (cpu time.Duration, peak int64) { return 0, 0 }

// openFiles returns 0 on this system.
func openFiles() int { return 0 }

// freeDisk returns false on this system because the size is unknown.
func freeDisk(string) (int64, bool) { return 0, false }

// polled returns f on this system.
func polled(f *os.File) *os.File { return f }
