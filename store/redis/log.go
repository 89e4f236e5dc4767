package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// Log reads entries in order.
func (c catalog) Log(ctx context.Context, after uint64, limit int) ([]docid.Entry, error) {
	entries, err := c.log(ctx, after, limit)
	if err == nil && len(entries) > 0 {
		err = c.settle(ctx, entries[len(entries)-1].Seq)
	}
	return entries, err
}

// log is the one way to entries: those that were left to the history come from there.
func (c catalog) log(ctx context.Context, after uint64, limit int) ([]docid.Entry, error) {
	if err := ctx.Err(); err != nil || limit <= 0 {
		return nil, err
	}
	entries, err := c.stream(ctx, after, limit)
	if err != nil || len(entries) > 0 && entries[0].Seq == after+1 {
		return entries, err
	}
	trimmed, err := c.Trimmed(ctx)
	switch {
	case err != nil:
		return nil, err
	case after < trimmed:
		return c.old(ctx, after, trimmed, limit)
	case len(entries) > 0 && entries[0].Kind != docid.KindEpoch:
		return nil, fmt.Errorf("%w: change %d is not in the log", docid.ErrCorrupt, after+1)
	}
	return entries, nil
}

// old reads entries from the history, and what is newer from the stream.
func (c catalog) old(ctx context.Context, after, trimmed uint64, limit int) ([]docid.Entry, error) {
	entries, err := c.historyOf(ctx, after, trimmed, limit)
	if err != nil || len(entries) == limit {
		return entries, err
	}
	rest, err := c.log(ctx, trimmed, limit-len(entries))
	return append(entries, rest...), err
}

// made is the entry of the change that made a docId; ErrNotFound if none did.
func (c catalog) made(ctx context.Context, leader uint64) (docid.Entry, error) {
	if leader == 0 {
		return docid.Entry{}, docid.ErrNotFound
	}
	entries, err := c.log(ctx, leader-1, 1)
	switch {
	case err != nil:
		return docid.Entry{}, err
	case len(entries) == 0, entries[0].Seq != leader, !entries[0].Leads():
		return docid.Entry{}, docid.ErrNotFound
	}
	return entries[0], nil
}

// stream reads the entries that are here.
func (c catalog) stream(ctx context.Context, after uint64, limit int) ([]docid.Entry, error) {
	xs, err := c.do(ctx, c.b().Xrange().Key(c.p+"l").Start("("+decimal(after)+"-0").End("+").Count(int64(limit)).Build()).ToArray()
	if err != nil {
		return nil, c.s.fail(err)
	}
	if err := c.there(ctx); err != nil {
		return nil, err
	}
	entries := make([]docid.Entry, len(xs))
	for i, x := range xs {
		if entries[i], err = streamed(x); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// streamed reads one entry of the stream.
func streamed(x rueidis.RedisMessage) (docid.Entry, error) {
	parts, err := x.ToArray()
	if err != nil || len(parts) != 2 {
		return docid.Entry{}, fmt.Errorf("%w: an entry of the log", docid.ErrCorrupt)
	}
	id, err := parts[0].ToString()
	if err != nil {
		return docid.Entry{}, fmt.Errorf("%w: an entry of the log: %w", docid.ErrCorrupt, err)
	}
	seq, err := strconv.ParseUint(strings.TrimSuffix(id, "-0"), 10, 64)
	if err != nil {
		return docid.Entry{}, fmt.Errorf("%w: an entry of the log: %w", docid.ErrCorrupt, err)
	}
	fields, err := parts[1].AsStrSlice()
	if err != nil {
		return docid.Entry{}, fmt.Errorf("%w: entry %d of the log: %w", docid.ErrCorrupt, seq, err)
	}
	return entryOf(seq, fields)
}
