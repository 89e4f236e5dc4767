package pebble

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Report is the result of Check, and Problem one defect.
type (
	Report  = ledger.Report
	Problem = ledger.Problem
)

// Check reads a whole folder that no process has open and reports its problems. See ledger.Check for what it verifies. It
// changes nothing in the folder. It returns an error if the folder cannot be read completely. It returns ErrCorrupt with a
// file name if the folder contains less than its witness recorded.
func Check(ctx context.Context, dir string, o Options) (Report, error) {
	var report Report
	err := reading(dir, o, func(kv *engine) (err error) {
		report, err = kv.check(ctx, o)
		return err
	})
	if errors.Is(err, pebble.ErrDBDoesNotExist) { // the process was killed in its first second, before any answer
		err = nil
	}
	return report, err
}

// check reports the problems of the files, then of the rows.
func (kv *engine) check(ctx context.Context, o Options) (Report, error) {
	r, err := ledger.Check(ctx, kv, o.Progress)
	r.Problems = append(kv.problems, r.Problems...)
	return r, err
}

// offline works on the rows of a folder without the store.
func offline(dir string, o Options, work func(*engine) error) error {
	kv, err := openRows(dir, o)
	if err != nil {
		return err
	}
	return kv.do(dir, work)
}

// reading works on the rows of a folder without changing the folder.
func reading(dir string, o Options, work func(*engine) error) error {
	kv, err := openToRead(dir, o)
	if err != nil {
		return err
	}
	return kv.do(dir, work)
}

// do runs work and closes the folder.
func (kv *engine) do(dir string, work func(*engine) error) error {
	_, err := guarded(kv.log, func() (struct{}, error) { return struct{}{}, work(kv) })
	if err := errors.Join(err, kv.Close()); err != nil {
		return fmt.Errorf("folder %s: %w", dir, wrap(err))
	}
	return nil
}
