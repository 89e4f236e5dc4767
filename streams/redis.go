package streams

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup/internal/redisclient"
	"github.com/redis/rueidis"
)

// redisField is the field of an entry that holds the JSON.
const redisField = "json"

// redisWait is how long Poll waits for entries, and claimEvery how often it looks for those of others.
const (
	redisWait  = time.Second
	claimEvery = 5 * time.Second
)

// acknowledge writes what came of entries and acknowledges them, but of those alone that nobody has acknowledged: another
// may have claimed some. KEYS: the stream, and those of outputs; ARGV: the group, and of each entry the id, the number of
// its output, 0 for none, and the record. It writes before it acknowledges, for a full Redis can refuse the one.
var acknowledge = rueidis.NewLuaScript(`
for i = 2, #ARGV, 3 do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1) == 1 then
    local to = tonumber(ARGV[i + 1])
    if to > 0 then redis.call('XADD', KEYS[1 + to], '*', '` + redisField + `', ARGV[i + 2]) end
    redis.call('XACK', KEYS[1], ARGV[1], ARGV[i])
  end
end
return 0`)

// redisSource reads a stream as a consumer of a group.
type redisSource struct {
	c               rueidis.Client
	key             string
	group, instance string
	beside          [outputs]string
	claimAfter      time.Duration
	claimed         time.Time // when entries of others were last looked for
	own             bool      // all is done that this consumer had when it was last ended
}

func redisClient(ctx context.Context, a address) (rueidis.Client, error) {
	u := *a.URL
	u.Scheme, u.Path = strings.TrimSuffix(u.Scheme, "-stream"), ""
	o, err := redisclient.Options(u.String())
	if err != nil {
		return nil, err
	}
	o.ForceSingleClient = o.Sentinel.MasterSet == ""
	// An entry of an answer that was lost is pending: to ask again would bring those after it first.
	o.DisableRetry = true
	return redisclient.Connect(ctx, o)
}

func openRedis(ctx context.Context, from address, beside [outputs]string, o Options) (Source, error) {
	c, err := redisClient(ctx, from)
	if err != nil {
		return nil, err
	}
	err = c.Do(ctx, c.B().XgroupCreate().Key(from.name).Group(o.Group).Id("0").Mkstream().Build()).Error()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		c.Close()
		return nil, fmt.Errorf("group %s of %s: %w", o.Group, from.name, err)
	}
	return &redisSource{c: c, key: from.name, group: o.Group, instance: o.Instance, beside: beside, claimAfter: o.ClaimAfter}, nil
}

// Poll returns what this consumer had and did not acknowledge, then what others have left, then what is new.
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
	all, err := r.c.Do(ctx, r.c.B().Xreadgroup().Group(r.group, r.instance).Count(page).Block(redisWait.Milliseconds()).Streams().Key(r.key).Id(from).Build()).AsXRead()
	if err != nil && !rueidis.IsRedisNil(err) {
		return nil, fmt.Errorf("read %s: %w", r.key, err)
	}
	return r.messages(all[r.key]), nil
}

// claim takes over what others have not acknowledged for long.
func (r *redisSource) claim(ctx context.Context) ([]Message, error) {
	idle := strconv.FormatInt(r.claimAfter.Milliseconds(), 10)
	parts, err := r.c.Do(ctx, r.c.B().Xautoclaim().Key(r.key).Group(r.group).Consumer(r.instance).MinIdleTime(idle).Start("0").Count(page).Build()).ToArray()
	if err == nil && len(parts) < 2 {
		err = fmt.Errorf("an answer of %d parts", len(parts))
	}
	var entries []rueidis.XRangeEntry
	if err == nil {
		entries, err = parts[1].AsXRange()
	}
	if err != nil {
		return nil, fmt.Errorf("claim entries of %s: %w", r.key, err)
	}
	return r.messages(entries), nil
}

func (r *redisSource) messages(entries []rueidis.XRangeEntry) []Message {
	messages := make([]Message, len(entries))
	for i, e := range entries {
		m := Message{Position: Position{Topic: r.key, Offset: e.ID}}
		value, has := e.FieldValues[redisField]
		switch {
		case has:
			m.Value = []byte(value)
		case len(e.FieldValues) == 0:
			m.Flaw = "deleted from the stream before it was read"
		default:
			m.Flaw = "no field " + redisField
		}
		messages[i] = m
	}
	return messages
}

// Commit runs one script: Redis runs it alone, and its log has all or nothing of it.
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
	if err := acknowledge.Exec(ctx, r.c, keys, args).Error(); err != nil {
		return fmt.Errorf("acknowledge %d entries of %s: %w", len(done), r.key, err)
	}
	return nil
}

// Lag is that of the group, with what its consumers have not acknowledged.
func (r *redisSource) Lag(ctx context.Context) (int64, error) {
	groups, err := r.c.Do(ctx, r.c.B().XinfoGroups().Key(r.key).Build()).ToArray()
	if err != nil {
		return 0, fmt.Errorf("lag of %s: %w", r.key, err)
	}
	for _, g := range groups {
		fields, err := g.AsMap()
		if err != nil {
			return 0, fmt.Errorf("lag of %s: %w", r.key, err)
		}
		name, lag, pending := fields["name"], fields["lag"], fields["pending"]
		if is, err := name.ToString(); err != nil || is != r.group {
			continue
		}
		left, err := lag.AsInt64()
		if err != nil {
			return 0, fmt.Errorf("lag of %s: Redis does not know it (entries were deleted, or it is older than 7.0): %w", r.key, err)
		}
		had, err := pending.AsInt64()
		return left + had, err
	}
	return 0, fmt.Errorf("lag of %s: it has no group %s", r.key, r.group)
}

// Close closes the connections.
func (r *redisSource) Close() error {
	r.c.Close()
	return nil
}

// redisSink writes to a stream of another Redis than that of the source.
type redisSink struct {
	c   rueidis.Client
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
	commands := rueidis.Commands{r.c.B().Multi().Build()}
	for _, record := range records {
		commands = append(commands, r.c.B().Xadd().Key(r.key).Id("*").FieldValue().FieldValue(redisField, rueidis.BinaryString(record.Value)).Build())
	}
	for _, result := range r.c.DoMulti(ctx, append(commands, r.c.B().Exec().Build())...) {
		if err := result.Error(); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the connections.
func (r *redisSink) Close() error {
	r.c.Close()
	return nil
}
