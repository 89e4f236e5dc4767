package pebble

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Report is what Check saw; Problem one thing wrong.
type (
	Report  = ledger.Report
	Problem = ledger.Problem
)

// Check reads a whole folder that no process has open and reports what is
// wrong with it; see ledger.Check for what it proves. Nothing in the folder is
// changed. The error is for a folder that could not be read to the end, or
// holds less than its witness says: ErrCorrupt names the file.
func Check(ctx context.Context, dir string, o Options) (Report, error) {
	var report Report
	err := reading(dir, o, func(kv *engine) (err error) {
		report, err = kv.check(ctx, o)
		return err
	})
	if errors.Is(err, pebble.ErrDBDoesNotExist) { // killed in its first second: nothing was answered
		err = nil
	}
	return report, err
}

// check reports on the files, then on the rows.
func (kv *engine) check(ctx context.Context, o Options) (Report, error) {
	r, err := ledger.Check(ctx, kv, o.Progress)
	r.Problems = append(kv.problems, r.Problems...)
	return r, err
}

// Rebuild makes every row that follows from others again, in a folder that no
// process has open.
func Rebuild(ctx context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv *engine) error { return ledger.Rebuild(ctx, kv) })
}

// Digest is a SHA-256 over the rows that Rebuild makes.
func Digest(ctx context.Context, dir string, o Options) (string, error) {
	var sum string
	err := reading(dir, o, func(kv *engine) (err error) {
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
	return kv.do(dir, work)
}

// reading is offline for work that changes nothing.
func reading(dir string, o Options, work func(*engine) error) error {
	kv, err := openToRead(dir, o)
	if err != nil {
		return err
	}
	return kv.do(dir, work)
}

// do works and closes.
func (kv *engine) do(dir string, work func(*engine) error) error {
	_, err := guarded(kv.log, func() (struct{}, error) { return struct{}{}, work(kv) })
	if err = errors.Join(err, kv.Close()); err != nil {
		return fmt.Errorf("folder %s: %w", dir, wrap(err))
	}
	return nil
}
