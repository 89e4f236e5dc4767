package faults_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/pebble"
)

// TestEveryFailure fails the k-th I/O for k = 0, 1, 2 ... until the work completes, once and from then on. No
// answer may be lost, and no caller may wait forever.
func TestEveryFailure(t *testing.T) {
	for _, forever := range []bool{false, true} {
		t.Run(fmt.Sprintf("forever=%v", forever), func(t *testing.T) {
			for k := 0; ; k += stride() {
				if !failAt(t, int32(k), forever) {
					t.Logf("%d failures", k)
					return
				}
			}
		})
	}
}

// failAt runs the work with the k-th I/O failing. It returns false if the work needed fewer.
func failAt(t *testing.T, k int32, forever bool) bool {
	t.Helper()
	mem, j := vfs.NewCrashableMem(), newJournal()
	c := &countdown{forever: forever}
	c.left.Store(k)
	fs := errorfs.Wrap(mem, c)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		work(t.Context(), t, fs, j)
	}()
	select {
	case <-finished:
	case <-time.After(time.Minute):
		t.Fatalf("I/O %d failed and the store hangs", k)
	}
	j.verify(t, mem.CrashClone(vfs.CrashCloneCfg{}), j.acknowledged())
	return c.left.Load() < 0
}

// countdown fails one I/O, or all from it on.
type countdown struct {
	left    atomic.Int32
	forever bool
}

// String returns the name of the injector.
func (c *countdown) String() string { return "countdown" }

// MaybeError counts an I/O.
func (c *countdown) MaybeError(errorfs.Op) error {
	if n := c.left.Add(-1); n == -1 || (n < -1 && c.forever) {
		return errorfs.ErrInjected
	}
	return nil
}

// work opens a store, submits, closes, opens again and submits.
func work(ctx context.Context, t *testing.T, fs vfs.FS, j *journal) {
	for round := range 2 {
		s, err := pebble.Open(ctx, "data", pebble.Options{FS: fs})
		if err != nil {
			return
		}
		d, err := open(ctx, s)
		for n := 0; n < 4 && err == nil; n++ {
			err = j.send(ctx, d, sub(fmt.Sprintf("%d-%d", round, n), n))
		}
		if err != nil && !errors.Is(err, docid.ErrUnavailable) && !errors.Is(err, docid.ErrFull) {
			t.Errorf("an I/O error came out as %v", err)
		}
		if err != nil && d != nil {
			if err := j.send(ctx, d, sub("more", 7)); err == nil {
				t.Error("a store took a write after one had failed")
			}
			if _, err := d.Index().Catalog().Stats(ctx); err != nil {
				t.Errorf("reads end with writes: %v", err)
			}
		}
		_ = s.Close()
	}
}
