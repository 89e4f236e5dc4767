package redislog

import (
	"context"
	"fmt"
	"time"

	"github.com/neardup/neardup/docid"
)

// Time is that of Redis, one for all servers.
func (l *Log) Time(ctx context.Context) (time.Time, error) {
	parts, err := l.c.Do(ctx, l.c.B().Time().Build()).AsIntSlice()
	if err == nil && len(parts) != 2 {
		err = fmt.Errorf("a time of %d parts", len(parts))
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: ask Redis for the time: %w", docid.ErrUnavailable, err)
	}
	return time.Unix(parts[0], parts[1]*int64(time.Microsecond)), nil
}
