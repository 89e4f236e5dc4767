// Package redisclient sends commands to Redis or Valkey over a pool of connections.
package redisclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/internal/silence"
)

// Options configures the connection to Redis.
type Options struct {
	Hosts     []string      // HOST:PORT of Redis or, with MasterSet, of its Sentinels
	MasterSet string        // name that the Sentinels watch; "" means no Sentinels
	Connect   time.Duration // timeout of connecting
	Answer    time.Duration // timeout for the start of an answer, and between its bytes
	url       url.URL
}

// ParseURL reads redis://[USER:PASSWORD@]HOST:PORT[/DB], or rediss:// with TLS. ?addr=HOST:PORT adds a host, and
// ?master_set=NAME makes the hosts Sentinels, which get no password. Errors never contain the address.
func ParseURL(address string) (Options, error) {
	u, err := url.Parse(address)
	if err != nil {
		var bad *url.Error // its message has the whole address, including the password
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return Options{}, fmt.Errorf("address of Redis: %w", err)
	}
	query := u.Query()
	o := Options{
		Hosts: append([]string{u.Host}, query["addr"]...), MasterSet: query.Get("master_set"),
		Connect: 5 * time.Second, Answer: 10 * time.Second, url: *u,
	}
	o.url.RawQuery = ""
	return o, nil
}

// A pool keeps poolIdle idle connections and opens at most poolActive. It checks one that was idle for poolRest.
const (
	poolIdle   = 64
	poolActive = 512
	poolRest   = 20 * time.Millisecond
)

// Client sends commands. It never repeats a command by itself. It is safe for concurrent use.
type Client struct {
	o    Options
	pool redis.Pool
	lost atomic.Int64 // time when a connection was last found broken, in Unix nanoseconds; connections last used before are discarded
}

// loadPause is the pause before retrying while Redis loads its data.
const loadPause = 250 * time.Millisecond

// Connect connects to Redis. While Redis loads its data after a start, Connect waits.
func Connect(ctx context.Context, o Options) (*Client, error) {
	c := &Client{o: o}
	c.pool = redis.Pool{
		DialContext: c.dial, TestOnBorrowContext: c.usable,
		MaxIdle: poolIdle, MaxActive: poolActive, Wait: true, IdleTimeout: time.Minute,
	}
	for {
		_, err := c.Do(ctx, "PING")
		if err == nil {
			return c, nil
		}
		if said, ok := errors.AsType[redis.Error](err); !ok || !strings.HasPrefix(string(said), "LOADING") {
			return nil, errors.Join(fmt.Errorf("connect to Redis: %w", err), c.Close())
		}
		if pause.For(ctx, loadPause) != nil {
			return nil, errors.Join(fmt.Errorf("connect to Redis: %w", errors.Join(err, ctx.Err())), c.Close())
		}
	}
}

// Close closes the connections.
func (c *Client) Close() error { return c.pool.Close() }

// Do sends a command and returns its answer for the conversions of redigo: redis.String(c.Do(ctx, "GET", key)).
func (c *Client) Do(ctx context.Context, command string, args ...any) (any, error) {
	conn, err := c.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Do(ctx, command, args...)
}

// Eval runs a script that takes the number of its keys as an argument (redis.NewScript(-1, source)).
func (c *Client) Eval(ctx context.Context, script *redis.Script, keys, args []string) (any, error) {
	conn, err := c.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	answer, err := script.DoContext(ctx, conn.conn, redis.Args{len(keys)}.AddFlat(keys).AddFlat(args)...)
	return answer, bare(err)
}

// Pipe sends commands at once on one connection.
func (c *Client) Pipe(ctx context.Context, commands ...redis.Args) ([]any, error) {
	conn, err := c.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Pipe(ctx, commands...)
}

// Conn takes a connection. The caller must close it.
func (c *Client) Conn(ctx context.Context) (*Conn, error) {
	conn, err := c.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{c, conn}, nil
}

// dial connects to Redis. With Sentinels, it asks one for the master, and connects if that server confirms its role.
func (c *Client) dial(ctx context.Context) (redis.Conn, error) {
	if c.o.MasterSet == "" {
		return c.o.dial(ctx, c.o.url)
	}
	var failures []error
	for _, host := range c.o.Hosts {
		conn, err := c.o.master(ctx, host)
		if err == nil {
			return conn, nil
		}
		failures = append(failures, fmt.Errorf("sentinel %s: %w", host, err))
	}
	return nil, errors.Join(failures...)
}

func (o Options) dial(ctx context.Context, at url.URL) (redis.Conn, error) {
	return redis.DialURLContext(ctx, at.String(), redis.DialClientName("neardup"),
		redis.DialContextFunc(silence.Dialer{Connect: o.Connect}.DialContext), redis.DialTLSHandshakeTimeout(o.Connect),
		redis.DialReadTimeout(o.Answer), redis.DialWriteTimeout(o.Answer))
}

func (o Options) master(ctx context.Context, sentinel string) (redis.Conn, error) {
	asked, err := o.dial(ctx, url.URL{Scheme: o.url.Scheme, Host: sentinel})
	if err != nil {
		return nil, err
	}
	defer asked.Close()
	named, err := redis.Strings(redis.DoContext(asked, ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", o.MasterSet))
	if err != nil || len(named) != 2 {
		return nil, fmt.Errorf("no master of the name %q: %w", o.MasterSet, err)
	}
	at := o.url
	at.Host = net.JoinHostPort(named[0], named[1])
	conn, err := o.dial(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := leads(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func leads(ctx context.Context, conn redis.Conn) error {
	role, err := redis.Values(redis.DoContext(conn, ctx, "ROLE"))
	if err != nil || len(role) == 0 {
		return fmt.Errorf("ask for the role: %w", err)
	}
	if is, err := redis.String(role[0], nil); is != "master" || err != nil {
		return fmt.Errorf("role %s (want master)", is)
	}
	return nil
}

// errOld means that an idle connection was discarded because another one broke after its last use.
var errOld = errors.New("another connection failed since")

// usable checks an idle connection. With Sentinels, it verifies each time that the server is still the master.
func (c *Client) usable(ctx context.Context, conn redis.Conn, used time.Time) error {
	switch {
	case used.UnixNano() <= c.lost.Load():
		return errOld
	case c.o.MasterSet == "" && time.Since(used) < poolRest:
		return nil
	}
	var err error
	if c.o.MasterSet != "" {
		err = leads(ctx, conn)
	} else {
		_, err = redis.DoContext(conn, ctx, "PING")
	}
	if err != nil {
		c.broke(ctx)
	}
	return err
}

// broke marks all idle connections as unusable, unless the caller cancelled.
func (c *Client) broke(ctx context.Context) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		c.lost.Store(time.Now().UnixNano())
	}
}
