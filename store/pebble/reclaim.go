package pebble

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// reclaim gives the disk back of what was deleted. Left alone, the database
// does so when it next compacts what lies around it, which may be never; and
// a file of texts stays as long as a third of it is in use.
type reclaim struct {
	on   atomic.Bool
	work sync.WaitGroup
}

// A compaction of everything is worth its while once as much was deleted as is left:
// four rows for each article that lives, and some thousand at least.
const (
	goneRows       = 4
	goneRowsAtAll  = 4000
	firstKey, last = "a", "{" // spaces of rows are letters
)

// policy of where values lie: while disk is given back, compactions write
// those that live to new files, and the old files go.
func (r *reclaim) policy() pebble.ValueSeparationPolicy {
	p := texts
	if r.on.Load() {
		p.MaxBlobReferenceDepth = 0
	}
	return p
}

// giveBack begins a compaction of everything, beside the work, if enough was deleted.
func (e *engine) giveBack(ctx context.Context) {
	live := int64(0)
	for _, h := range e.heads() {
		live += h.Members
	}
	gone := e.gone.Load()
	if gone < max(goneRowsAtAll, goneRows*live) || !e.reclaim.on.CompareAndSwap(false, true) {
		return
	}
	e.reclaim.work.Go(func() {
		defer e.reclaim.on.Store(false)
		// It is tried again when as much is deleted again; an error of the
		// engine stops the store by itself.
		e.gone.Add(-gone)
		_, _ = guarded(e.log, func() (struct{}, error) {
			return struct{}{}, e.db.Compact(ctx, []byte(firstKey), []byte(last), false)
		})
	})
}
