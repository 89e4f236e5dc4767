// Package redislog implements docid.Log in a stream of Redis 7 or Valkey. Redis and the replicas sync their append-only file
// with every change. An entry is durable once it is in the files of Redis and of as many replicas as the address demands.
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

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/group"
	"github.com/neardup/neardup/internal/redisclient"
	"github.com/neardup/neardup/store/internal/durability"
)

// The stream, and the field of its entries. The entry at an offset has the id 0-OFFSET.
const (
	stream = "neardup:log"
	field  = "e"
)

// watermark is a stream of one entry. The id OFFSET-TURN of the entry states up to which offset the log is durable. It is
// written after the log entries, so a replica that has it also has those entries. It is a stream because readers wait for it.
const watermark = "{neardup:log}:durable"

var keys = []string{stream, watermark}

// A page of Read ends with the entry that exceeds pageBytes. Read waits pageWait milliseconds for the first entry.
const (
	pageBytes = 1 << 20
	pageWait  = 300
)

// replicaWait is the timeout for replicas to receive entries, and again to sync them.
const replicaWait = 400 * time.Millisecond

// Log is a docid.Log in Redis.
type Log struct {
	c        *redisclient.Client
	pages    *redisclient.Client // for Read: it limits the silence, not the time of a page
	replicas int
	settling *group.Calls[request] // only with replicas
	stuck    atomic.Bool           // the replicas lacked entries at the last check
	session  atomic.Pointer[session]
	promises durability.Check
}

var _ docid.Log = (*Log)(nil)

// Open connects to redis://[USER:PASSWORD@]HOST:PORT[/DB], or rediss:// with TLS. It waits until Redis has loaded its data,
// and checks its settings. With ?master_set=NAME the hosts are Sentinels; &addr=HOST:PORT adds further ones. With ?replicas=N,
// N replicas must have an entry on disk. It returns ErrUnavailable, or ErrInvalid if Redis may lose answers with its settings.
func Open(ctx context.Context, address string) (*Log, error) {
	o, replicas, err := options(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docid.ErrInvalid, err)
	}
	c, err := redisclient.Connect(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docid.ErrUnavailable, err)
	}
	o.Answer = durability.Silence
	pages, err := redisclient.Connect(ctx, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", docid.ErrUnavailable, err), c.Close())
	}
	l := &Log{c: c, pages: pages, replicas: replicas}
	l.settling = group.New(l.settle)
	l.promises = durability.Check{Server: "Redis", Settings: settings, Read: l.set}
	err = l.promises.First(ctx)
	if err == nil && replicas > 0 {
		err = l.waits(ctx)
	}
	if err == nil {
		_, err = l.Incarnation(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func options(address string) (o redisclient.Options, replicas int, err error) {
	o, err = redisclient.ParseURL(address)
	if err != nil {
		return o, 0, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return o, 0, errors.New("address of Redis: invalid")
	}
	replicas, err = durability.Replicas(u.Query())
	if err != nil {
		return o, 0, err
	}
	switch sentinel := o.MasterSet != ""; {
	case sentinel && replicas == 0:
		return o, 0, errors.New("a failover by Sentinel could lose acknowledged entries (want replicas=N, for example replicas=1)")
	case !sentinel && len(o.Hosts) > 1:
		return o, 0, errors.New("several addresses without master_set (want one Redis, or Sentinels and master_set=NAME)")
	}
	o.Connect = time.Second
	return o, replicas, nil
}

// waits returns an error if Redis cannot wait for replicas.
func (l *Log) waits(ctx context.Context) error {
	_, err := l.c.Do(ctx, "WAITAOF", 0, 0, 1)
	if _, says := errors.AsType[redis.Error](err); says {
		return fmt.Errorf("%w: replicas need WAITAOF (want Redis 7.2 or Valkey): %w", docid.ErrInvalid, err)
	} else if err != nil {
		return failed("connect", err)
	}
	return nil
}

// Close closes the connections.
func (l *Log) Close() error {
	l.settling.Close()
	return errors.Join(l.pages.Close(), l.c.Close())
}

// settings lists the settings of a Redis that loses no entries.
var settings = []durability.Setting{
	{Name: "appendonly", Values: []string{"yes"}, Loss: "a restart loses everything since the last snapshot"},
	{Name: "appendfsync", Values: []string{"always"}, Loss: "a power failure loses the last second or more"},
	{Name: "maxmemory-policy", Values: []string{"noeviction"}, Loss: "Redis evicts entries when its memory is full"},
	{Name: "cluster-enabled", Values: []string{"no"}, Loss: "a replica that lacks the last entries may become the master"},
}

func (l *Log) set(ctx context.Context) (map[string]string, error) {
	return redis.StringMap(l.c.Do(ctx, "CONFIG", "GET", "appendonly", "appendfsync", "maxmemory-policy", "cluster-enabled"))
}

// lib is the common part of the scripts. It finds the last ids of the log and the watermark, and raises the watermark. Another
// server may have raised the watermark further. If the watermark is after the end, the log was deleted or has lost entries.
const lib = `
local function last(key)
  local at = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  return at and at[1] or '0-0'
end
local function entry(e)
  local found = ''
  for i = 1, #e[2], 2 do if e[2][i] == '` + field + `' then found = e[2][i + 1] end end
  return found
end
local ends, said = string.match(last(KEYS[1]), '%d+$'), string.match(last(KEYS[2]), '^%d+')
if tonumber(said) > tonumber(ends) then
  if ends ~= '0' then return redis.error_reply('LOST') end
  redis.call('DEL', KEYS[2])
  said = '0'
end
local function durable(offset)
  if tonumber(offset) < tonumber(said) then offset = said end
  redis.call('XADD', KEYS[2], 'MAXLEN', 1, offset .. '-*', 'd', '')
end
`

// script numbers the scripts. Each contains the incarnation of Redis, so no other Redis runs it.
type script int

const (
	// appending adds an entry, unless its anchor is missing. The first entry has a fixed id, which a stream that had
	// entries rejects. Without replicas the entry is durable at once.
	appending script = iota
	// saying raises the watermark to an offset and returns the last id. It always writes, because a replica with this write
	// has all earlier writes as well.
	saying
	// ending returns the last id. Without replicas all entries are durable, even those that were appended while replicas
	// were awaited.
	ending
	// paging returns ids and entries from an offset up to the watermark. Of the first entry it returns only 16 bytes. It
	// stops after about 64 entries or the given number of bytes.
	paging
)

var scripts = [...]string{
	appending: `
local id, n = '0-1', #ARGV[2]
if ARGV[1] ~= '0-0' then
  local at = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
  if not at or string.sub(entry(at) .. string.rep('\0', n), 1, n) ~= ARGV[2] then return redis.error_reply('LOST') end
  id = '0-*'
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.error_reply('LOST')
end
id = redis.call('XADD', KEYS[1], id, '` + field + `', ARGV[3])
if ARGV[4] == '0' then durable(string.sub(id, 3)) end
return id`,
	saying: `durable(ARGV[1]) return last(KEYS[1])`,
	ending: `
local id = last(KEYS[1])
if said ~= string.sub(id, 3) then durable(string.sub(id, 3)) end
return id`,
	paging: `
local from, at, most, found, bytes = ARGV[1], tonumber(ARGV[1]), tonumber(ARGV[2]), {}, 0
local up = tonumber(from) > tonumber(said) and from or said
while at <= tonumber(up) and bytes < most and #found < 128 do
  local some = redis.call('XRANGE', KEYS[1], string.format('0-%d', at), '0-' .. up, 'COUNT', 8)
  for _, e in ipairs(some) do
    if bytes < most then
      local is = entry(e)
      if e[1] == '0-' .. from then is = string.sub(is, 1, 16) end
      table.insert(found, e[1])
      table.insert(found, is)
      bytes = bytes + #is
    end
  end
  if #some < 8 then break end
  at = tonumber(string.match(some[8][1], '%d+$')) + 1
end
return found`,
}

// session is an incarnation of Redis, with the hashes of its scripts.
type session struct {
	name string
	sums [len(scripts)]string
}

// Incarnation returns the run of the Redis process and its replication id, and loads the scripts.
func (l *Log) Incarnation(ctx context.Context) (string, error) {
	s := &session{}
	if err := l.load(ctx, s); err != nil {
		return "", failed("ask for its run", err)
	}
	l.session.Store(s)
	return s.name, nil
}

// load reads the name and loads the scripts on one connection, so that both come from one process.
func (l *Log) load(ctx context.Context, s *session) error {
	c, err := l.c.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	answers, err := c.Pipe(ctx, redis.Args{"INFO", "server"}, redis.Args{"INFO", "replication"})
	for _, a := range answers {
		info, err := redis.String(a, nil)
		if err != nil {
			return err
		}
		for line := range strings.Lines(info) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			if name == "run_id" || name == "master_replid" {
				s.name += value
			}
		}
	}
	for n, script := range scripts {
		if err == nil {
			s.sums[n], err = redis.String(c.Do(ctx, "SCRIPT", "LOAD", "-- "+s.name+lib+script))
		}
	}
	return err
}

// eval returns the command of a script.
func (l *Log) eval(of script, args ...string) redis.Args {
	return redis.Args{"EVALSHA", l.session.Load().sums[of], len(keys)}.AddFlat(keys).AddFlat(args)
}

// run runs a script.
func (l *Log) run(ctx context.Context, c *redisclient.Client, of script, args ...string) (any, error) {
	command := l.eval(of, args...)
	return c.Do(ctx, "EVALSHA", command[1:]...)
}

// request is an entry to append. Without args it asks for the end of the log.
type request struct {
	args   []string
	offset uint64
	err    error
}

// Append adds an entry.
func (l *Log) Append(ctx context.Context, anchor docid.Anchor, entry []byte) (uint64, error) {
	r := &request{args: []string{idOf(anchor.Offset), string(anchor.ID[:]), string(entry), strconv.Itoa(l.replicas)}}
	if l.replicas > 0 {
		return l.settled(ctx, "append", r)
	}
	offset, err := offsetIn(l.run(ctx, l.c, appending, r.args...))
	if err != nil {
		return 0, failed("append", err)
	}
	return offset, nil
}

// settled returns the offset of a request once it is durable.
func (l *Log) settled(ctx context.Context, what string, r *request) (uint64, error) {
	if err := l.settling.Do(ctx, r); err != nil {
		return 0, failed(what, err)
	}
	if r.err != nil {
		return 0, failed(what, r.err)
	}
	return r.offset, nil
}

// settle appends the entries, waits until the replicas have them on disk, and raises the watermark. It uses one connection,
// because a second one may reach another server.
func (l *Log) settle(all []*request) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*replicaWait)
	defer cancel()
	err := l.settleOn(ctx, all)
	l.stuck.Store(err != nil)
	for _, r := range all {
		if r.err == nil {
			r.err = err
		}
	}
}

func (l *Log) settleOn(ctx context.Context, all []*request) error {
	c, err := l.c.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var commands []redis.Args
	for _, r := range all {
		if r.args != nil {
			commands = append(commands, l.eval(appending, r.args...))
		}
	}
	answers, err := c.Pipe(ctx, append(
		commands, l.eval(saying, "0"),
		// A replica reports the state of its disk before it syncs what it has just received, and again a second later. So
		// WAIT first ensures that it has the entries, and then WAITAOF waits for its disk.
		redis.Args{"WAIT", l.replicas, replicaWait.Milliseconds()},
		redis.Args{"WAITAOF", 1, l.replicas, replicaWait.Milliseconds()},
	)...)
	if err != nil {
		return err
	}
	n := 0
	for _, r := range all {
		if r.args != nil {
			r.offset, r.err = offsetIn(answers[n], nil)
			n++
		}
	}
	end, err := offsetIn(answers[n], nil)
	if err != nil {
		return err
	}
	have, err := redis.Ints(answers[n+2], nil)
	if err != nil {
		return err
	}
	if len(have) != 2 || have[0] < 1 || have[1] < l.replicas {
		return fmt.Errorf("entries are on disk in %v servers (the master, its replicas); want %d in all", have, 1+l.replicas)
	}
	for _, r := range all {
		if r.args == nil {
			r.offset = end
		}
	}
	return redisclient.FirstError(c.Pipe(ctx, l.eval(saying, strconv.FormatUint(end, 10))))
}

// offsetIn returns the offset in a script's answer.
func offsetIn(answer any, err error) (uint64, error) {
	id, err := redis.String(answer, err)
	if err != nil {
		return 0, err
	}
	return offsetOf(id)
}

// Read reads a page of durable entries and checks that they follow the entry at the anchor.
func (l *Log) Read(ctx context.Context, anchor docid.Anchor) ([][]byte, error) {
	brief, cancel := context.WithTimeout(ctx, durability.Silence)
	defer cancel()
	if err := l.promises.Again(brief); err != nil {
		return nil, err
	}
	stuck := l.stuck.Load()
	found, err := l.page(ctx, anchor.Offset)
	if err == nil && !stuck && uint64(len(found)) <= 2*min(anchor.Offset, 1) { // no entries follow the anchor
		further := strconv.FormatUint(anchor.Offset, 10) + "-18446744073709551615"
		_, err = l.pages.Do(ctx, "XREAD", "COUNT", 1, "BLOCK", pageWait, "STREAMS", watermark, further)
		if err != nil {
			return nil, failed("read", err)
		}
		found, err = l.page(ctx, anchor.Offset)
	}
	if err != nil {
		return nil, err
	}
	if anchor.Offset > 0 {
		if len(found) == 0 || found[0] != idOf(anchor.Offset) {
			return nil, fmt.Errorf("%w: entry %d does not exist", docid.ErrLogLost, anchor.Offset)
		}
		if (docid.Anchor{Offset: anchor.Offset - 1}).Next([]byte(found[1])) != anchor {
			return nil, fmt.Errorf("%w: entry %d is a different one", docid.ErrLogLost, anchor.Offset)
		}
		found = found[2:]
	}
	entries := make([][]byte, len(found)/2)
	for n := range entries {
		offset, err := offsetOf(found[2*n])
		if err != nil {
			return nil, err
		}
		if offset != anchor.Offset+uint64(n)+1 {
			return nil, fmt.Errorf("%w: entry %d follows entry %d", docid.ErrLogLost, offset, anchor.Offset+uint64(n))
		}
		entries[n] = []byte(found[2*n+1])
	}
	if stuck { // no other request checks the replicas
		brief, cancel := context.WithTimeout(ctx, durability.Silence)
		defer cancel()
		_, err = l.Durable(brief)
	}
	return entries, err
}

// page returns ids and entries from an offset up to the watermark. Of the first entry it returns only 16 bytes.
func (l *Log) page(ctx context.Context, from uint64) ([]string, error) {
	found, err := redis.Strings(l.run(ctx, l.pages, paging, strconv.FormatUint(from, 10), strconv.Itoa(pageBytes)))
	if err != nil {
		return nil, failed("read", err)
	}
	return found, nil
}

// Durable returns the last offset. It waits until the replicas have that entry, so a replaced Redis cannot answer.
func (l *Log) Durable(ctx context.Context) (uint64, error) {
	if l.replicas > 0 {
		return l.settled(ctx, "ask for the end", &request{})
	}
	end, err := offsetIn(l.run(ctx, l.c, ending))
	if err != nil {
		return 0, failed("ask for the end", err)
	}
	return end, nil
}

// Trim deletes the entries before an offset.
func (l *Log) Trim(ctx context.Context, before uint64) error {
	if _, err := l.c.Do(ctx, "XTRIM", stream, "MINID", idOf(before)); err != nil {
		return failed("trim", err)
	}
	return nil
}

func idOf(offset uint64) string { return "0-" + strconv.FormatUint(offset, 10) }

func offsetOf(id string) (uint64, error) {
	n, ours := strings.CutPrefix(id, "0-")
	offset, err := strconv.ParseUint(n, 10, 64)
	if !ours || err != nil {
		return 0, fmt.Errorf("%w: an entry has the id %q, which no server assigned", docid.ErrLogLost, id)
	}
	return offset, nil
}

func failed(what string, err error) error {
	switch {
	case errors.Is(err, docid.ErrLogLost):
		return err
	case strings.HasPrefix(err.Error(), "LOST"):
		return docid.ErrLogLost
	case strings.Contains(err.Error(), "OOM"):
		return fmt.Errorf("%w: %s: %w", docid.ErrFull, what, err)
	}
	return fmt.Errorf("%w: %s: %w", docid.ErrUnavailable, what, err)
}
