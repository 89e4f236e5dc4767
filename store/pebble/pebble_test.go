package pebble_test

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
	"go.uber.org/goleak"
)

// An open of a damaged folder that Pebble gives up on waits for ever (see
// guarded), so what Pebble itself has running is no leak of a test. A store that
// a test leaves open still is: it has goroutines of ours.
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

// TestStore holds the store to the contract with hardly a posting in memory,
// so that segments are written and merged all the time; the store in memory is
// tested with all of them in memory.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Place {
		dir := t.TempDir()
		return storetest.Place{Lasting: true, Open: func(ctx context.Context) (docid.Store, error) {
			return pebble.Open(ctx, dir, pebble.Options{Postings: 1024})
		}}
	})
}
