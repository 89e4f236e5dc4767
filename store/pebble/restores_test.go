package pebble

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
)

// TestRestores runs all combinations of a log in memory and folders that are current, older or empty.
func TestRestores(t *testing.T) {
	log := storetest.NewLog()
	saved := map[storetest.State]*storetest.Log{storetest.Empty: storetest.NewLog()}
	storetest.RunRestores(t, storetest.RestoredLog{
		Open: func(*testing.T) docid.Log { return log },
		Save: func(t *testing.T, s storetest.State) {
			end, err := log.Durable(t.Context())
			ok(t, err)
			saved[s] = log.Before(end)
		},
		Restore: func(t *testing.T, s storetest.State) {
			end, err := saved[s].Durable(t.Context())
			ok(t, err)
			log = saved[s].Before(end)
		},
	}, func(dir string, log docid.Log) (docid.Store, error) {
		return Open(context.Background(), dir, Options{Log: log})
	}, false)
}
