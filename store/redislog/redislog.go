// Package redislog is a docid.Log in a stream of Redis 7 or Valkey. What is durable there is what
// its append-only file has, synced with every change: so one node is what it rests on.
package redislog

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// The stream, and the field of its entries. An entry at an offset has the id 0-OFFSET.
const (
	stream = "neardup:log"
	field  = "e"
)

// A page of Read has so many entries; for one it waits so long, in milliseconds.
const (
	pageEntries = 64
	pageWait    = 300
)

// settingsEvery is how often it is looked whether Redis still keeps what it is given.
const settingsEvery = time.Second

// Log is a docid.Log in Redis.
type Log struct {
	c       rueidis.Client
	checked atomic.Int64 // when the settings were looked at, Unix nanoseconds
}

var _ docid.Log = (*Log)(nil)

// Open connects to redis://[USER:PASSWORD@]HOST:PORT[/DB], rediss:// with TLS, and checks what Redis promises.
// ErrUnavailable; ErrInvalid where Redis is set up to lose answers.
func Open(ctx context.Context, address string) (*Log, error) {
	o, err := rueidis.ParseURL(address)
	if err != nil {
		var bad *url.Error // says the whole address, password and all
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, fmt.Errorf("%w: address of Redis: %w", docid.ErrInvalid, err)
	}
	if o.Sentinel.MasterSet != "" || len(o.InitAddress) > 1 {
		return nil, fmt.Errorf("%w: a log lies on one Redis: a failover could lose entries that were answered", docid.ErrInvalid)
	}
	// A repeated command may meet another Redis than the first, or append twice.
	o.DisableRetry, o.DisableCache, o.ClientName = true, true, "neardup"
	o.Dialer.Timeout, o.ConnWriteTimeout = time.Second, 2*time.Second
	c, err := rueidis.NewClient(o)
	if err != nil {
		return nil, fmt.Errorf("%w: connect to Redis: %w", docid.ErrUnavailable, err)
	}
	l := &Log{c: c}
	losses, err := l.losses(ctx)
	if err == nil && losses != "" {
		err = fmt.Errorf("%w: Redis may lose acknowledged answers: %s", docid.ErrInvalid, losses)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return l, nil
}

// Close closes the connections.
func (l *Log) Close() error {
	l.c.Close()
	return nil
}

// losses says what may be lost that was acknowledged, by how Redis is set up; "" if nothing.
func (l *Log) losses(ctx context.Context) (string, error) {
	set, err := l.c.Do(ctx, l.c.B().ConfigGet().Parameter("appendonly", "appendfsync", "maxmemory-policy").Build()).AsStrMap()
	if err != nil {
		return "", fmt.Errorf("%w: read the settings of Redis: %w", docid.ErrUnavailable, err)
	}
	var all []string
	for _, want := range []struct{ name, value, loss string }{
		{"appendonly", "yes", "a restart loses everything since the last snapshot"},
		{"appendfsync", "always", "a power failure loses the last second or more"},
		{"maxmemory-policy", "noeviction", "a full Redis forgets entries"},
	} {
		if set[want.name] != want.value {
			all = append(all, fmt.Sprintf("%s is %s: %s (set %s)", want.name, set[want.name], want.loss, want.value))
		}
	}
	l.checked.Store(time.Now().UnixNano())
	return strings.Join(all, "; "), nil
}

// kept is an error where Redis does not keep any more what it is given.
func (l *Log) kept(ctx context.Context) error {
	if time.Since(time.Unix(0, l.checked.Load())) < settingsEvery {
		return nil
	}
	losses, err := l.losses(ctx)
	if err == nil && losses != "" {
		l.checked.Store(0)
		err = fmt.Errorf("%w: Redis may lose acknowledged answers since its settings were changed: %s", docid.ErrUnavailable, losses)
	}
	return err
}

// appending refuses what does not rest on an entry that is there. The first entry has an id of its own:
// a stream that had any refuses it.
var appending = rueidis.NewLuaScript(`
local id, n = '0-1', #ARGV[2]
if ARGV[1] ~= '0-0' then
  local at = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
  if not at or string.sub(at[2][2], 1, n) ~= ARGV[2] then return redis.error_reply('LOST') end
  id = '0-*'
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.error_reply('LOST')
end
return redis.call('XADD', KEYS[1], id, '` + field + `', ARGV[3])`)

// last is the id of the last entry, without the entry.
var last = rueidis.NewLuaScriptReadOnly(`
local at = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return at and at[1] or '0-0'`)

// Append adds an entry.
func (l *Log) Append(ctx context.Context, anchor docid.Anchor, entry []byte) (uint64, error) {
	id, err := appending.Exec(ctx, l.c, []string{stream}, []string{idOf(anchor.Offset), string(anchor.ID[:]), string(entry)}).ToString()
	if err != nil {
		return 0, failed("append", err)
	}
	return offsetOf(id)
}

// Read reads a page of entries, and proves afterwards that they follow the anchor: the connection may have been
// another's meanwhile.
func (l *Log) Read(ctx context.Context, anchor docid.Anchor) ([][]byte, error) {
	if err := l.kept(ctx); err != nil {
		return nil, err
	}
	answer, err := l.c.Do(ctx, l.c.B().Xread().Count(pageEntries).Block(pageWait).Streams().Key(stream).Id(idOf(anchor.Offset)).Build()).AsXRead()
	if err != nil && !rueidis.IsRedisNil(err) {
		return nil, failed("read", err)
	}
	if err := l.has(ctx, anchor); err != nil {
		return nil, err
	}
	var entries [][]byte
	for _, e := range answer[stream] {
		offset, err := offsetOf(e.ID)
		if err != nil {
			return nil, err
		}
		if offset != anchor.Offset+uint64(len(entries))+1 {
			return nil, fmt.Errorf("%w: entry %d follows entry %d", docid.ErrLogLost, offset, anchor.Offset+uint64(len(entries)))
		}
		entries = append(entries, []byte(e.FieldValues[field]))
	}
	return entries, nil
}

// has is an error unless the log has the entry at the anchor.
func (l *Log) has(ctx context.Context, anchor docid.Anchor) error {
	if anchor.Offset == 0 {
		return nil
	}
	id := idOf(anchor.Offset)
	at, err := l.c.Do(ctx, l.c.B().Xrange().Key(stream).Start(id).End(id).Build()).AsXRange()
	switch {
	case err != nil:
		return failed("read", err)
	case len(at) != 1:
		return fmt.Errorf("%w: entry %d is not there", docid.ErrLogLost, anchor.Offset)
	case (docid.Anchor{Offset: anchor.Offset - 1}).Next([]byte(at[0].FieldValues[field])) != anchor:
		return fmt.Errorf("%w: entry %d is another", docid.ErrLogLost, anchor.Offset)
	}
	return nil
}

// Durable is the last offset.
func (l *Log) Durable(ctx context.Context) (uint64, error) {
	id, err := last.Exec(ctx, l.c, []string{stream}, nil).ToString()
	if err != nil {
		return 0, failed("ask for the end", err)
	}
	return offsetOf(id)
}

// Trim forgets the entries before an offset.
func (l *Log) Trim(ctx context.Context, before uint64) error {
	err := l.c.Do(ctx, l.c.B().Xtrim().Key(stream).Minid().Threshold(idOf(before)).Build()).Error()
	if err != nil {
		return failed("trim", err)
	}
	return nil
}

func idOf(offset uint64) string { return "0-" + strconv.FormatUint(offset, 10) }

func offsetOf(id string) (uint64, error) {
	n, ours := strings.CutPrefix(id, "0-")
	offset, err := strconv.ParseUint(n, 10, 64)
	if !ours || err != nil {
		return 0, fmt.Errorf("%w: an entry with the id %q, which no server gave", docid.ErrLogLost, id)
	}
	return offset, nil
}

func failed(what string, err error) error {
	switch {
	case strings.HasPrefix(err.Error(), "LOST"):
		return docid.ErrLogLost
	case strings.Contains(err.Error(), "OOM"):
		return fmt.Errorf("%w: %s: %w", docid.ErrFull, what, err)
	}
	return fmt.Errorf("%w: %s: %w", docid.ErrUnavailable, what, err)
}
