package classic

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/internal/redisclient"
)

// attaching keeps articles for a sink from now on, if the sink has all earlier articles.
var attaching = redis.NewScript(-1, `
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 1 end
if tonumber(redis.call('HGET', KEYS[1], 'seq') or 0) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])`)

// Attach keeps articles for a sink until the sink has acknowledged them. It must be called before the first article,
// otherwise it returns docid.ErrUndrained. It returns docid.ErrBehind if the index has lost articles that the sink has.
func (x *Index) Attach(ctx context.Context, name string, sink docid.Sink) error {
	if keeper, ok := sink.(docid.History); ok {
		if err := keeper.KeepIdentity(ctx, x.tenant, x.identity); err != nil {
			return fmt.Errorf("attach sink %q: %w", name, err)
		}
	}
	at, err := sink.Cursor(ctx, x.tenant)
	if err != nil {
		if sinks, also := x.attached(ctx); also == nil && slices.ContainsFunc(sinks, func(a docid.Attachment) bool { return a.Sink == name }) &&
			errors.Is(err, docid.ErrUnavailable) {
			return nil // the sink may be unavailable for now; Feed tries again
		}
		return fmt.Errorf("attach sink %q: %w", name, err)
	}
	st, _, err := x.Stats(ctx)
	if err != nil {
		return err
	}
	if st.Seq < at {
		return fmt.Errorf("%w: Redis has changes up to %d, sink %q up to %d (neardup rebuild restores the index)", docid.ErrBehind, st.Seq, name, at)
	}
	x.saw(st.Seq)
	attached, err := redis.Bool(x.s.c.Eval(ctx, attaching, []string{x.key("INDEX"), x.key("SINKS")}, []string{name, number(at)}))
	if err != nil {
		return failed(err)
	}
	if !attached {
		return fmt.Errorf("%w: sink %q has changes up to %d of %d, because it was not attached during the others", docid.ErrUndrained, name, at, st.Seq)
	}
	return nil
}

// attached lists the sinks with the last change that each has acknowledged.
func (x *Index) attached(ctx context.Context) ([]docid.Attachment, error) {
	has, err := redis.Uint64Map(x.s.c.Do(ctx, "HGETALL", x.key("SINKS")))
	if err != nil {
		return nil, failed(err)
	}
	var all []docid.Attachment
	for name, seq := range has {
		all = append(all, docid.Attachment{Sink: name, Seq: seq})
	}
	return all, nil
}

// Pauses of Feed: when no changes are pending, the longest after errors, and until another server replaces one that ended.
const (
	feedPause = 100 * time.Millisecond
	feedMost  = 2 * time.Second
	feedClaim = 5 * time.Second
	feedPage  = 200
)

// Feed delivers pending changes to a sink, in order and at least once, until ctx ends. It returns the error of ctx. Several
// servers may feed a sink, and one at a time does. failed is called with each error that Feed retries after.
func (x *Index) Feed(ctx context.Context, name string, sink docid.Sink, failed func(error)) error {
	who := rand.Text()
	turn := func(ctx context.Context) error { return x.turn(ctx, name, who, sink) }
	return pause.Between(ctx, feedPause, feedMost, turn, func(_ time.Time, err error) { failed(err) })
}

// claiming gives one server the lease of a sink, or extends it.
var claiming = redis.NewScript(-1, `
local has = redis.call('GET', KEYS[1])
if has and has ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

// turn delivers all pending changes, unless another server has the lease.
func (x *Index) turn(ctx context.Context, name, who string, sink docid.Sink) error {
	at, err := sink.Cursor(ctx, x.tenant)
	if err != nil {
		return err
	}
	for {
		mine, err := redis.Bool(x.s.c.Eval(ctx, claiming, []string{x.key("CLAIM", name)}, []string{who, strconv.FormatInt(feedClaim.Milliseconds(), 10)}))
		if err != nil {
			return failed(err)
		}
		if !mine {
			return nil
		}
		if err := x.acknowledge(ctx, name, at); err != nil {
			return err
		}
		ds, err := x.pending(ctx, at)
		if err != nil || len(ds) == 0 {
			return err
		}
		if err := sink.Apply(ctx, x.tenant, ds); err != nil {
			return fmt.Errorf("sink %q after %d: %w", name, at, err)
		}
		at = ds[len(ds)-1].Seq
	}
}

// pending returns a page of the changes after a number.
func (x *Index) pending(ctx context.Context, after uint64) ([]docid.Delivery, error) {
	entries, err := redisclient.Entries(x.s.c.Do(ctx, "XRANGE", x.key("OUTBOX"), "(0-"+number(after), "+", "COUNT", feedPage))
	if err != nil {
		return nil, failed(err)
	}
	var ds []docid.Delivery
	for _, e := range entries {
		var a article
		if err := json.Unmarshal([]byte(e.Fields["article"]), &a); err != nil {
			return nil, fmt.Errorf("%w: article %s of the outbox: %w", docid.ErrCorrupt, e.ID, err)
		}
		d, err := x.delivery(e.Fields["answer"], &a.Article)
		if err != nil {
			return nil, err
		}
		if d.Seq != after+uint64(len(ds))+1 {
			return nil, fmt.Errorf("%w: the sink has changes up to %d, but the outbox continues with %d", docid.ErrUndrained, after+uint64(len(ds)), d.Seq)
		}
		d.Time, d.Request = a.Received, a.Request
		if d.Kind == docid.KindNew {
			d.Material = &docid.Material{NID: d.NID, Title: x.clean(a.Title), Text: x.clean(a.Text)}
		}
		ds = append(ds, d)
	}
	return ds, nil
}

// acknowledge stores the cursor of a sink, and drops the changes that all sinks have.
func (x *Index) acknowledge(ctx context.Context, name string, at uint64) error {
	if _, err := x.s.c.Do(ctx, "HSET", x.key("SINKS"), name, at); err != nil {
		return failed(err)
	}
	sinks, err := x.attached(ctx)
	if err != nil {
		return err
	}
	for _, a := range sinks {
		at = min(at, a.Seq)
	}
	_, err = x.s.c.Do(ctx, "XTRIM", x.key("OUTBOX"), "MINID", "0-"+number(at+1))
	return failed(err)
}
