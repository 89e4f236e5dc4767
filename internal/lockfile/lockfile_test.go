package lockfile_test

import (
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup/internal/lockfile"
)

// Only one at a time has a lock, however often the file is made and removed.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, got atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				unlock, err := lockfile.Lock(path)
				if err != nil {
					continue
				}
				if inside.Add(1) > 1 {
					t.Error("two have the lock")
				}
				runtime.Gosched()
				inside.Add(-1)
				got.Add(1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got.Load() == 0 {
		t.Error("nobody got it")
	}
}
