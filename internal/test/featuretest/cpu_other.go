//go:build !unix

package featuretest

import (
	"testing"
	"time"
)

// ReportCPU does nothing on this system.
func ReportCPU(*testing.B, time.Duration, int64) {}

// CPU returns 0, because this system does not report the time.
func CPU() time.Duration { return 0 }
