package pebble_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// TestFolderReplaced changes the folder while the store is open. Every answer must be found under the folder's
// name, reads must work, and earlier answers must be in the moved folder.
func TestFolderReplaced(t *testing.T) {
	ctx := t.Context()
	for name, replace := range map[string]func(t *testing.T, dir, aside string){
		"moved away": func(t *testing.T, dir, aside string) { ok(t, os.Rename(dir, aside)) },
		"an empty one in its place": func(t *testing.T, dir, aside string) {
			ok(t, os.Rename(dir, aside))
			ok(t, os.Mkdir(dir, 0o700))
		},
		"a copy in its place": func(t *testing.T, dir, aside string) {
			ok(t, os.Rename(dir, aside))
			ok(t, os.CopyFS(dir, os.DirFS(aside)))
		},
		"its logs removed": func(t *testing.T, dir, aside string) {
			copyOpen(t, dir, aside)
			logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
			ok(t, err)
			for _, log := range logs {
				ok(t, os.Remove(log))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, aside := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "aside")
			s, err := pebble.Open(ctx, dir, pebble.Options{})
			ok(t, err)
			d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
			ok(t, err)
			texts := storetest.NewTexts(1, 20)
			first := texts.Next()
			_, err = d.Add(ctx, first)
			ok(t, err)
			replace(t, dir, aside)
			for range 3 {
				if _, err := d.Add(ctx, texts.Next()); !errors.Is(err, docid.ErrUnavailable) {
					t.Fatalf("answered: %v", err)
				}
			}
			if !errors.Is(s.Poisoned(), pebble.ErrReplaced) {
				t.Errorf("the reason is %v", s.Poisoned())
			}
			_, _, err = d.Member(ctx, first.ID)
			ok(t, err)
			if err := s.Close(); err == nil {
				t.Error("closed without a word")
			}
			s, err = pebble.Open(ctx, aside, pebble.Options{})
			ok(t, err)
			defer s.Close()
			d, err = docid.NewDetector(ctx, s, "tenant", storetest.Settings())
			ok(t, err)
			_, _, err = d.Member(ctx, first.ID)
			ok(t, err)
		})
	}
}
