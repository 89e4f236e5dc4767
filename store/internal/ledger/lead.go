package ledger

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// Unfollow detaches rows that no store has open from their log. The rows lack answers that other servers gave from later
// entries, so the next open begins an epoch.
func Unfollow(kv KV) error {
	return update(kv, func(b *writes) error {
		v, err := b.Get(positionKey())
		if err == nil && v == nil {
			err = errStop
		}
		if err != nil {
			return err
		}
		mark(b)
		for _, space := range []byte{spaceBeat, spaceClaim, spacePosition} {
			b.DeleteRange([]byte{space}, []byte{space + 1})
		}
		return nil
	})
}

// Lead begins an empty log with rows that no store has open and that follow no log. The log continues from
// these rows, and every other server needs a copy of them. It returns ErrLogLost if the log has or had entries.
func Lead(ctx context.Context, kv KV, log docid.Log) error {
	first, at, err := firstEntry(ctx, log, true)
	if err != nil {
		return err
	}
	err = update(kv, func(b *writes) error { // first, because a log that has begun needs a follower
		v, err := b.Get(positionKey())
		if v != nil {
			err = fmt.Errorf("%w: the store follows a log", docid.ErrInvalid)
		}
		b.set(positionKey(), &at)
		return err
	})
	if err == nil {
		_, err = log.Append(ctx, docid.Anchor{}, first)
	}
	return err
}
