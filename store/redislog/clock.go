package redislog

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/docid"
)

// Time returns the time of Redis, which is the same for all servers.
func (l *Log) Time(ctx context.Context) (time.Time, error) {
	parts, err := redis.Int64s(l.c.Do(ctx, "TIME"))
	if err == nil && len(parts) != 2 {
		err = fmt.Errorf("invalid time of %d parts", len(parts))
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: ask Redis for the time: %w", docid.ErrUnavailable, err)
	}
	return time.Unix(parts[0], parts[1]*int64(time.Microsecond)), nil
}
