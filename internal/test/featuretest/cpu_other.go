//go:build !unix

package featuretest

import (
	"testing"
	"time"
)

// ReportCPU reports nothing here.
func ReportCPU(*testing.B, time.Duration, int64) {}

// CPU returns 0, because the time is unknown here.
func CPU() time.Duration { return 0 }
