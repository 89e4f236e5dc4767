package pebble

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// reclaim frees the disk space of deleted rows. The database itself only frees it when it next compacts the range, which
// may be never. It keeps a file of texts as long as a third of the file is in use.
type reclaim struct {
	on   atomic.Bool
	work sync.WaitGroup
}

// A full compaction pays off once as many rows are deleted as are left. That is four for each living article, and at least
// some thousand.
const (
	goneRows       = 4
	goneRowsAtAll  = 4000
	firstKey, last = "a", "{" // spaces of rows are letters
)

// policy returns where values are stored. During a reclaim, compactions write values that are in use to new files, and the
// old files are removed.
func (r *reclaim) policy() pebble.ValueSeparationPolicy {
	p := texts
	if r.on.Load() {
		p.MaxBlobReferenceDepth = 0
	}
	return p
}

// giveBack starts a full compaction in the background if enough rows are deleted.
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
		// It is retried after the same number of further deletions. An engine error stops the store.
		e.gone.Add(-gone)
		_, _ = guarded(e.log, func() (struct{}, error) {
			return struct{}{}, e.db.Compact(ctx, []byte(firstKey), []byte(last), false)
		})
	})
}
