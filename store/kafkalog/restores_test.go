package kafkalog_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// TestRestores combines a log in Kafka with folders that are current, older or empty.
func TestRestores(t *testing.T) {
	s, saved := services.Kafka(t, 1)[0], t.TempDir()
	data, fresh := filepath.Join(s.Dir, "data"), filepath.Join(saved, string(storetest.Empty))
	copied := func(t *testing.T, to, from string) {
		s.Stop()
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		s.Start(t)
	}
	copied(t, fresh, data)
	storetest.RunRestores(t, storetest.RestoredLog{
		Open: func(t *testing.T) docid.Log { return storetest.Patient{Log: open(t, s, "restored")} },
		Save: func(t *testing.T, state storetest.State) { copied(t, filepath.Join(saved, string(state)), data) },
		Restore: func(t *testing.T, state storetest.State) {
			copied(t, data, filepath.Join(saved, string(state)))
		},
	}, func(dir string, log docid.Log) (docid.Store, error) {
		return pebble.Open(context.Background(), dir, pebble.Options{Log: log})
	}, true)
}
