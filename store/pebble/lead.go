package pebble

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// BeginLog begins an empty log for servers without an index. It is never done by itself: an index that began by mistake would
// answer in place of the one that was lost. ErrLogLost if the log has, or had, entries.
func BeginLog(ctx context.Context, log docid.Log) error { return ledger.BeginLog(ctx, log) }

// Lead begins an empty log with a folder that no process has open: the log goes on from it, and every other
// server with a copy of it. A folder that has followed another log, or what this one was, begins an epoch: what
// was answered after its last entry is lost, and no number of that is given again. ErrLogLost if the log has,
// or had, entries.
func Lead(ctx context.Context, dir string, log docid.Log, o Options) error {
	if end, err := log.Durable(ctx); err != nil {
		return err
	} else if end > 0 {
		return fmt.Errorf("%w: it has %d entries", docid.ErrLogLost, end)
	}
	if err := Leave(ctx, dir, o); err != nil {
		return err
	}
	s, err := Open(ctx, dir, o) // begins the epochs
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return err
	}
	return offline(dir, o, func(kv *engine) error { return ledger.Lead(ctx, kv, log) })
}

// Leave has a folder that no process has open follow no log any more: served alone it begins an epoch, for others may
// go on with the log.
func Leave(_ context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv *engine) error { return ledger.Unfollow(kv) })
}
