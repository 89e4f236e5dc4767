package redis

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
)

// watch looks again and again whether Redis still keeps what it promised when it was
// opened: CONFIG SET appendonly no is one command, and nothing fails by it.
type watch struct {
	broken atomic.Pointer[error] // why nothing may be answered; nil while all is well
	stop   context.CancelFunc
	work   sync.WaitGroup
}

// It looks so often, and waits so long for an answer.
const (
	watchPause = time.Second
	watchWait  = 5 * time.Second
)

// begin looks from now on; look returns what is wrong, "" for nothing, or an error
// where it could not see that.
func (w *watch) begin(look func(context.Context) (string, error)) {
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.work.Go(func() {
		turn := time.NewTicker(watchPause)
		defer turn.Stop()
		for {
			select {
			case <-turn.C:
			case <-ctx.Done():
				return
			}
			once, done := context.WithTimeout(ctx, watchWait)
			wrong, err := look(once)
			done()
			switch {
			case err != nil: // whoever calls meets that himself
			case wrong == "":
				w.broken.Store(nil)
			default:
				err := fmt.Errorf("%w: Redis may lose acknowledged answers since its settings were changed: %s", docid.ErrUnavailable, wrong)
				w.broken.Store(&err)
			}
		}
	})
}

// end waits until it looks no more.
func (w *watch) end() {
	if w.stop != nil {
		w.stop()
	}
	w.work.Wait()
}

// kept is an error while Redis does not keep what it promised.
func (w *watch) kept() error {
	if err := w.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// unlogged says what a node that writes would lose by a restart; "" for nothing.
func (s *Store) unlogged(ctx context.Context) (string, error) {
	for addr, node := range s.c.Nodes() {
		p, err := promises(ctx, node)
		if err != nil {
			return "", fmt.Errorf("node %s: %w", addr, err)
		}
		loss := p.unlogged()
		if loss == "" && p.rewriting && s.watch.kept() != nil { // what came meanwhile is not in it before that is done
			loss = "the log is not written anew yet"
		}
		if loss != "" && !p.replica {
			return addr + ": " + loss, nil
		}
	}
	return "", nil
}
