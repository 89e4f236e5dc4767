//go:build !unix

package featuretest

import (
	"testing"
	"time"
)

// ReportCPU reports nothing here.
func ReportCPU(*testing.B, time.Duration, int64) {}

// CPU is unknown here.
func CPU() time.Duration { return 0 }
