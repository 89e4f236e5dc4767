package redis

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// A change that was being written to the log when the machine died is there in
// part: a MULTI and some commands. Redis passes over it when it starts, but may leave
// it in the file; once something is written behind it that ends in EXEC, the next
// start carries out both, half a change that nobody was told of. So each run of Redis
// writes its log anew before anything else is: that begins another file.

// renewLog has the server of a key begin another file of its log, unless it has done so
// since it started. It returns at once where it has; a rewrite itself goes on afterwards.
func (s *Store) renewLog(ctx context.Context, key string) error {
	return s.c.Dedicated(func(c rueidis.DedicatedClient) error {
		// The key leads to its node of a Cluster; what follows goes to the same.
		if err := c.Do(ctx, c.B().Exists().Key(key).Build()).Error(); err != nil {
			return s.fail(err)
		}
		return s.renew(ctx, c)
	})
}

// renewWait is how long another child of Redis may keep it from that.
const renewWait = 2 * time.Second

func (s *Store) renew(ctx context.Context, node rueidis.CoreClient) error {
	for end := time.Now().Add(renewWait); ; {
		info, err := node.Do(ctx, node.B().Info().Section("persistence").Build()).ToString()
		if err != nil {
			return s.fail(err)
		}
		if renewed(info) {
			return nil
		}
		err = node.Do(ctx, node.B().Bgrewriteaof().Build()).Error()
		switch {
		case err == nil, strings.Contains(err.Error(), "already in progress"), strings.Contains(err.Error(), "already scheduled"):
		case s.o.AcceptLoss: // it may not be allowed to
			return nil
		default:
			return fmt.Errorf("have Redis write its log anew (BGREWRITEAOF): %w", s.fail(err))
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: Redis does not begin to write its log anew", docid.ErrUnavailable)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// renewed reads whether a run of Redis has begun a file of its log that it did not find.
func renewed(info string) bool {
	f := map[string]string{}
	for _, line := range strings.Fields(info) {
		name, value, _ := strings.Cut(line, ":")
		f[name] = value
	}
	return f["aof_enabled"] == "0" || f["aof_rewrite_in_progress"] == "1" || f["aof_rewrites"] != "0" && f["aof_rewrites"] != ""
}
