//go:build unix

package featuretest

import (
	"syscall"
	"testing"
	"time"
)

// ReportCPU reports the bytes processed per second of CPU time since start. On a busy machine, CPU time varies less than
// wall time.
func ReportCPU(b *testing.B, start time.Duration, bytes int64) {
	b.Helper()
	b.ReportMetric(float64(bytes)*float64(b.N)/(CPU()-start).Seconds()/1e6, "cpu-MB/s")
}

// CPU returns the CPU time of this process, user and system.
func CPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
