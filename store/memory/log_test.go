package memory_test

import (
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
)

// TestLogOfTheSuite runs the contract of logs on the log in memory that the suites of stores use.
func TestLogOfTheSuite(t *testing.T) {
	storetest.RunLog(t, func(*testing.T) docid.Log { return storetest.NewLog() })
}
