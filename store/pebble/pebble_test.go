package pebble_test

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/storetest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
