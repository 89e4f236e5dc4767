package memory_test

import (
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
)

// TestLogOfTheSuite: the log in memory that the suites of stores use is one.
func TestLogOfTheSuite(t *testing.T) {
	storetest.RunLog(t, func(*testing.T) docid.Log { return storetest.NewLog() })
}
