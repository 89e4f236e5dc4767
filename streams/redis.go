package streams

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/internal/redisclient"
)

// redisField is the field of an entry that holds the JSON.
const redisField = "json"

// redisWait bounds how long Poll waits for entries. claimEvery is the interval between claims of others' entries.
const (
	redisWait  = time.Second
	claimEvery = 5 * time.Second
)

// acknowledge writes records and acknowledges their entries. It skips entries that another consumer has acknowledged. KEYS:
// the stream and the outputs. ARGV: the group, and for each entry its id, the number of its output (0 for none) and its
// record. It writes before it acknowledges, because a full Redis may reject the write.
var acknowledge = redis.NewScript(-1, `
for i = 2, #ARGV, 3 do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1) == 1 then
    local to = tonumber(ARGV[i + 1])
    if to > 0 then redis.call('XADD', KEYS[1 + to], '*', '`+redisField+`', ARGV[i + 2]) end
    redis.call('XACK', KEYS[1], ARGV[1], ARGV[i])
  end
end
return 0`)

// redisSource reads a stream as a consumer of a group.
type redisSource struct {
	*redisclient.Client
	key             string
	group, instance string
	beside          [outputs]string
	claimAfter      time.Duration
	claimed         time.Time // when it last claimed entries of other consumers
	own             bool      // all entries from before the last restart have been read
}

func redisClient(ctx context.Context, a address) (*redisclient.Client, error) {
	u := *a.URL
	u.Scheme, u.Path = strings.TrimSuffix(u.Scheme, "-stream"), ""
	o, err := redisclient.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	return redisclient.Connect(ctx, o)
}

func openRedis(ctx context.Context, from address, beside [outputs]string, o Options) (Source, error) {
	c, err := redisClient(ctx, from)
	if err != nil {
		return nil, err
	}
	_, err = c.Do(ctx, "XGROUP", "CREATE", from.name, o.Group, "0", "MKSTREAM")
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return nil, errors.Join(fmt.Errorf("group %s of %s: %w", o.Group, from.name, err), c.Close())
	}
	return &redisSource{Client: c, key: from.name, group: o.Group, instance: o.Instance, beside: beside, claimAfter: o.ClaimAfter}, nil
}

// Poll returns this consumer's unacknowledged entries, then abandoned entries of other consumers, then new ones.
func (r *redisSource) Poll(ctx context.Context) ([]Message, error) {
	if !r.own {
		found, err := r.read(ctx, "0")
		if err != nil || len(found) > 0 {
			return found, err
		}
		r.own = true
	}
	if time.Since(r.claimed) > min(claimEvery, r.claimAfter) {
		r.claimed = time.Now()
		found, err := r.claim(ctx)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return r.read(ctx, ">")
}

func (r *redisSource) read(ctx context.Context, from string) ([]Message, error) {
	streams, err := redis.Values(r.Do(ctx, "XREADGROUP", "GROUP", r.group, r.instance, "COUNT", page, "BLOCK", redisWait.Milliseconds(), "STREAMS", r.key, from))
	if errors.Is(err, redis.ErrNil) {
		return nil, nil
	}
	var stream, entries []any
	if err == nil {
		_, err = redis.Scan(streams, &stream)
	}
	if err == nil {
		_, err = redis.Scan(stream, nil, &entries)
	}
	return r.messages(entries, err, "read")
}

// claim takes over entries that other consumers have not acknowledged for claimAfter.
func (r *redisSource) claim(ctx context.Context) ([]Message, error) {
	idle := strconv.FormatInt(r.claimAfter.Milliseconds(), 10)
	parts, err := redis.Values(r.Do(ctx, "XAUTOCLAIM", r.key, r.group, r.instance, idle, "0", "COUNT", page))
	var entries []any
	if err == nil {
		_, err = redis.Scan(parts, nil, &entries)
	}
	return r.messages(entries, err, "claim entries of")
}

// messages converts the entries of an answer. what names the action in errors.
func (r *redisSource) messages(answer []any, err error, what string) ([]Message, error) {
	entries, err := redisclient.Entries(answer, err)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, r.key, err)
	}
	messages := make([]Message, len(entries))
	for i, e := range entries {
		m := Message{Position: Position{Topic: r.key, Offset: e.ID}}
		value, has := e.Fields[redisField]
		switch {
		case has:
			m.Value = []byte(value)
		case len(e.Fields) == 0:
			m.Flaw = "deleted from the stream before it was read"
		default:
			m.Flaw = "no field " + redisField
		}
		messages[i] = m
	}
	return messages, nil
}

// Commit runs one script, which Redis executes and logs atomically.
func (r *redisSource) Commit(ctx context.Context, done []Message, records []Record) error {
	of := map[string]Record{}
	for _, record := range records {
		of[record.Offset] = record
	}
	keys, args := []string{r.key}, []string{r.group}
	for _, name := range r.beside {
		keys = append(keys, name)
	}
	for _, m := range done {
		record, has := of[m.Offset]
		to := 0
		if has {
			to = 1 + int(record.To)
		}
		args = append(args, m.Offset, strconv.Itoa(to), string(record.Value))
	}
	if _, err := r.Eval(ctx, acknowledge, keys, args); err != nil {
		return fmt.Errorf("acknowledge %d entries of %s: %w", len(done), r.key, err)
	}
	return nil
}

// Lag returns the lag of the group, including unacknowledged entries.
func (r *redisSource) Lag(ctx context.Context) (int64, error) {
	groups, err := redis.Values(r.Do(ctx, "XINFO", "GROUPS", r.key))
	if err != nil {
		return 0, fmt.Errorf("lag of %s: %w", r.key, err)
	}
	for _, g := range groups {
		fields := struct {
			Name    string `redis:"name"`
			Lag     int64  `redis:"lag"`
			Pending int64  `redis:"pending"`
		}{Lag: -1} // -1 if Redis does not know the lag
		pairs, err := redis.Values(g, nil)
		if err == nil {
			err = redis.ScanStruct(pairs, &fields)
		}
		switch {
		case err != nil:
			return 0, fmt.Errorf("lag of %s: %w", r.key, err)
		case fields.Name != r.group:
		case fields.Lag < 0:
			return 0, fmt.Errorf("lag of %s: unknown to Redis (entries were deleted, or Redis is older than 7.0)", r.key)
		default:
			return fields.Lag + fields.Pending, nil
		}
	}
	return 0, fmt.Errorf("lag of %s: no group %s", r.key, r.group)
}

// redisSink writes to a stream of a different Redis from that of the source.
type redisSink struct {
	*redisclient.Client
	key string
}

func openRedisSink(ctx context.Context, to address) (Sink, error) {
	c, err := redisClient(ctx, to)
	if err != nil {
		return nil, err
	}
	return &redisSink{c, to.name}, nil
}

// Write adds entries in one transaction.
func (r *redisSink) Write(ctx context.Context, records []Record) error {
	commands := []redis.Args{{"MULTI"}}
	for _, record := range records {
		commands = append(commands, redis.Args{"XADD", r.key, "*", redisField, record.Value})
	}
	return redisclient.FirstError(r.Pipe(ctx, append(commands, redis.Args{"EXEC"})...))
}
