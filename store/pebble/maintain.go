package pebble

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Report is what Check saw; Problem one thing wrong.
type (
	Report  = ledger.Report
	Problem = ledger.Problem
)

// Check reads a whole folder that no process has open and reports what is
// wrong with it; see ledger.Check for what it proves. The error is for a
// folder that could not be read to the end.
func Check(ctx context.Context, dir string, o Options) (Report, error) {
	var report Report
	err := offline(dir, o, func(kv ledger.KV) (err error) {
		report, err = ledger.Check(ctx, kv)
		return err
	})
	return report, err
}

// Rebuild makes every row that follows from others again, in a folder that no
// process has open.
func Rebuild(ctx context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv ledger.KV) error { return ledger.Rebuild(ctx, kv) })
}

// Digest is a SHA-256 over the rows that Rebuild makes.
func Digest(ctx context.Context, dir string, o Options) (string, error) {
	var sum string
	err := offline(dir, o, func(kv ledger.KV) (err error) {
		sum, err = ledger.Digest(ctx, kv)
		return err
	})
	return sum, err
}

// offline works on the rows of a folder without the store.
func offline(dir string, o Options, work func(ledger.KV) error) error {
	kv, err := openRows(dir, o)
	if err != nil {
		return err
	}
	_, err = guarded(kv.log, func() (struct{}, error) { return struct{}{}, work(kv) })
	if err = errors.Join(err, kv.Close()); err != nil {
		return fmt.Errorf("folder %s: %w", dir, wrap(err))
	}
	return nil
}

// Snapshot copies the store as it is, every answer given so far included, to
// a folder that is not there yet. Writing goes on meanwhile. Files that do
// not change are linked, so on one file system it takes little room.
func (s *Store) Snapshot(_ context.Context, dir string) error {
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("snapshot to %s: %w", dir, wrap(err))
	}
	if !s.onDisk {
		return nil
	}
	return ownAll(dir)
}

// ownAll takes a folder and its files from others.
func ownAll(dir string) error {
	if err := own(dir); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list snapshot: %w", err)
	}
	for _, f := range files {
		if err := os.Chmod(filepath.Join(dir, f.Name()), 0o600); err != nil {
			return fmt.Errorf("take file from others: %w", err)
		}
	}
	return nil
}
