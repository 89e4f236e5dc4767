//go:build !unix

package main

import "time"

// resources knows nothing on this system.
func resources() (cpu time.Duration, peak int64) { return 0, 0 }
