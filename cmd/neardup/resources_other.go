//go:build !linux && !darwin

package main

import "time"

// resources knows nothing on this system.
func resources() (cpu time.Duration, peak int64) { return 0, 0 }

// openFiles knows nothing on this system.
func openFiles() int { return 0 }

// freeDisk knows nothing on this system.
func freeDisk(string) (int64, bool) { return 0, false }
