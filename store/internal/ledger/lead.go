package ledger

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// Unfollow detaches rows that no store has open from their log. Answers that other servers gave from later
// entries are lost to these rows, so the next open begins an epoch.
func Unfollow(kv KV) error {
	b := kv.Batch()
	defer b.Close()
	if v, err := b.Get(placeKey()); err != nil || v == nil {
		return err
	}
	if err := mark(b); err != nil {
		return err
	}
	for _, space := range []byte{spaceBeat, spaceClaim, spacePlace} {
		if err := b.DeleteRange([]byte{space}, []byte{space + 1}); err != nil {
			return err
		}
	}
	return b.Commit()
}

// Lead begins an empty log with rows that no store has open and that follow no log. The log continues from
// these rows, and every other server needs a copy of them. It returns ErrLogLost if the log has or had entries.
func Lead(ctx context.Context, kv KV, log docid.Log) error {
	first, at, err := firstEntry(ctx, log, true)
	if err != nil {
		return err
	}
	b := kv.Batch()
	defer b.Close()
	if v, err := b.Get(placeKey()); err != nil {
		return err
	} else if v != nil {
		return fmt.Errorf("%w: the rows follow a log", docid.ErrInvalid)
	}
	key := placeKey()
	if err := b.Set(key, sealed(key, at.fields)); err != nil {
		return err
	}
	if err := b.Commit(); err != nil { // first, because a log that has begun needs a follower
		return err
	}
	_, err = log.Append(ctx, docid.Anchor{}, first)
	return err
}
