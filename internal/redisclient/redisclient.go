// Package redisclient is how whoever talks to Redis begins.
package redisclient

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/redis/rueidis"
)

// Options reads redis://[USER:PASSWORD@]HOST:PORT[/DB], or rediss:// with TLS. No error repeats the address.
func Options(address string) (rueidis.ClientOption, error) {
	o, err := rueidis.ParseURL(address)
	if err != nil {
		var bad *url.Error // says the whole address, password and all
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return o, fmt.Errorf("address of Redis: %w", err)
	}
	o.DisableCache, o.ClientName = true, "neardup"
	return o, nil
}

// loadPause is how long to wait before asking again a Redis that reads its data.
const loadPause = 250 * time.Millisecond

// Connect connects, and waits while Redis reads its data after a start.
func Connect(ctx context.Context, o rueidis.ClientOption) (rueidis.Client, error) {
	for {
		c, err := rueidis.NewClient(o)
		if err == nil {
			if err = c.Do(ctx, c.B().Ping().Build()).Error(); err == nil {
				return c, nil
			}
			c.Close()
		}
		if said, ok := errors.AsType[*rueidis.RedisError](err); !ok || !said.IsLoading() {
			return nil, fmt.Errorf("connect to Redis: %w", err)
		}
		select {
		case <-time.After(loadPause):
		case <-ctx.Done():
			return nil, fmt.Errorf("connect to Redis: %w", errors.Join(err, ctx.Err()))
		}
	}
}
