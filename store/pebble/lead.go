package pebble

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Lead begins an empty log with a folder that no process has open. The log continues from that folder, and
// every other server needs a copy of it. A folder that followed a log begins an epoch, because later answers
// are lost and their numbers must not be reused. It returns ErrLogLost if the log has or had entries.
func Lead(ctx context.Context, dir string, log docid.Log, o Options) error {
	if end, err := log.Durable(ctx); err != nil {
		return err
	} else if end > 0 {
		return fmt.Errorf("%w: the log has %d entries", docid.ErrLogLost, end)
	}
	if err := Leave(ctx, dir, o); err != nil {
		return err
	}
	s, err := Open(ctx, dir, o) // opening the folder begins the epochs
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return err
	}
	return offline(dir, o, func(kv *engine) error { return ledger.Lead(ctx, kv, log) })
}

// Leave detaches a folder that no process has open from its log. When the folder is served by itself, it begins an epoch,
// because other servers may continue with the log.
func Leave(_ context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv *engine) error { return ledger.Unfollow(kv) })
}
