package redislog_test

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

// TestRestores runs all combinations of a log in Redis and folders that are current, older or empty.
func TestRestores(t *testing.T) {
	s, saved := services.Redis(t), t.TempDir()
	data := func() string { return filepath.Join(s.Dir, "appendonlydir") }
	storetest.RunRestores(t, storetest.RestoredLog{
		Open: func(t *testing.T) docid.Log { return storetest.Patient{Log: open(t, s, "")} },
		Save: func(t *testing.T, state storetest.State) {
			s.Stop()
			replace(t, filepath.Join(saved, string(state)), data())
			s.Start(t)
		},
		Restore: func(t *testing.T, state storetest.State) {
			s.Kill()
			replace(t, data(), filepath.Join(saved, string(state)))
			s.Start(t)
		},
	}, func(dir string, log docid.Log) (docid.Store, error) {
		return pebble.Open(context.Background(), dir, pebble.Options{Log: log})
	}, false)
}

// replace replaces a folder by a copy of another, which may not exist.
func replace(t *testing.T, dir, with string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(with); err != nil {
		return
	}
	if err := os.CopyFS(dir, os.DirFS(with)); err != nil {
		t.Fatal(err)
	}
}
