//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// resources returns the CPU time used so far and the peak resident set in
// bytes.
func resources() (cpu time.Duration, peak int64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	peak = int64(u.Maxrss)
	if runtime.GOOS != "darwin" {
		peak <<= 10 // KiB elsewhere
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), peak
}
