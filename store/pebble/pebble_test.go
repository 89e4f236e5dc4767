package pebble_test

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
	"go.uber.org/goleak"
)

// TestMain ignores goroutines of Pebble, because an open that Pebble abandons waits forever (see guarded). A
// store that a test leaves open is still found by its own goroutines.
func TestMain(m *testing.M) {
	const engine = "github.com/cockroachdb/pebble/v2"
	goleak.VerifyTestMain(
		m,
		goleak.IgnoreAnyFunction(engine+".Open"),
		goleak.IgnoreAnyFunction(engine+"/record.(*LogWriter).flushLoop"),
		goleak.IgnoreAnyFunction(engine+".(*ConcurrencyLimitScheduler).periodicGranter"),
		goleak.IgnoreAnyFunction(engine+".(*cleanupManager).mainLoop"),
		goleak.IgnoreAnyFunction(engine+"/internal/genericcache.(*shard[...]).releaseLoop"),
	)
}

// TestStore runs the contract with almost no postings in memory, so segments are written and merged constantly.
// The memory store is tested with all of them in memory.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Backend {
		dir := t.TempDir()
		return storetest.Backend{Lasting: true, Open: func(ctx context.Context) (docid.Store, error) {
			return pebble.Open(ctx, dir, pebble.Options{Postings: 1024})
		}}
	})
}
