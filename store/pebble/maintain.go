package pebble

import (
	"context"
	"errors"
	"fmt"

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
	err := offline(dir, o, func(kv *engine) (err error) {
		report, err = ledger.Check(ctx, kv)
		return err
	})
	return report, err
}

// Rebuild makes every row that follows from others again, in a folder that no
// process has open.
func Rebuild(ctx context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv *engine) error { return ledger.Rebuild(ctx, kv) })
}

// Digest is a SHA-256 over the rows that Rebuild makes.
func Digest(ctx context.Context, dir string, o Options) (string, error) {
	var sum string
	err := offline(dir, o, func(kv *engine) (err error) {
		sum, err = ledger.Digest(ctx, kv)
		return err
	})
	return sum, err
}

// offline works on the rows of a folder without the store.
func offline(dir string, o Options, work func(*engine) error) error {
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
