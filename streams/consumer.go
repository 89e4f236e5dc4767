package streams

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/server/api"
	"golang.org/x/sync/errgroup"
)

// Options of a Consumer.
type Options struct {
	// From is the address of the source, To that of the decisions, Bad that of the refused messages; an output may also be a
	// file, or - for Stdout. Without Bad a message that is refused ends Run.
	From, To, Bad string
	Stdout        io.Writer
	// Group shares the messages of the source among its consumers and remembers which are acknowledged. Instance is the name
	// of this one: under it, after a crash, it goes on at once with what it had.
	Group, Instance string
	// ClaimAfter is how long messages of a consumer that does not answer are left to it, in Redis and NATS.
	ClaimAfter time.Duration
	// InFlight is how many articles of a partition are asked about at one moment. With 1 they are decided in the order of
	// the partition, with more only those of one nid.
	InFlight int
	// ToEnd has Run return once every message is acknowledged.
	ToEnd bool
	// Drain is how long Run goes on, once its context has ended, with what it has read.
	Drain time.Duration
	Log   *slog.Logger
}

// Service decides on articles; *api.Client does.
type Service interface {
	SubmitJSON(ctx context.Context, article []byte, key string) (api.Answer, error)
}

// Counts are what a Consumer has done.
type Counts struct {
	Read, Decided, Refused, Again int64 // messages; Again: given up to another consumer
	InFlight                      int64 // messages that are read and not acknowledged
	Waiting                       int64 // of these, those for which the service was not there when last asked
}

// Consumer feeds a service from a source.
type Consumer struct {
	o       Options
	service Service
	mu      sync.RWMutex // guards source where others than Run ask it
	source  Source       // nil: it failed, and is to be opened again
	sinks   [outputs]Sink
	seed    maphash.Seed

	read, decided, refused, again, inFlight, waiting atomic.Int64
}

// Open connects to source and outputs.
func Open(ctx context.Context, service Service, o Options) (*Consumer, error) {
	source, sinks, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Consumer{o: o, service: service, source: source, sinks: sinks, seed: maphash.MakeSeed()}, nil
}

// Close closes the connections.
func (c *Consumer) Close() error { return closeAll(c.source, c.sinks) }

// Counts says what was done until now.
func (c *Consumer) Counts() Counts {
	return Counts{
		Read: c.read.Load(), Decided: c.decided.Load(), Refused: c.refused.Load(), Again: c.again.Load(),
		InFlight: c.inFlight.Load(), Waiting: c.waiting.Load(),
	}
}

// Lag is how many messages of the source are not acknowledged.
func (c *Consumer) Lag(ctx context.Context) (int64, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.source == nil {
		return 0, errors.New("the source is away")
	}
	return c.source.Lag(ctx)
}

// failure is what a broker answers, or that it does not.
type failure struct{ error }

// Unwrap returns it.
func (f failure) Unwrap() error { return f.error }

func failed(err error) error {
	if err == nil || errors.Is(err, errAgain) {
		return err
	}
	return failure{err}
}

// Run consumes until ctx ends, and what it has read then within the time to drain. A broker that fails is opened again, as after
// a crash: what was not acknowledged comes again.
func (c *Consumer) Run(ctx context.Context) error {
	for {
		err := c.run(ctx)
		var broker failure
		if !errors.As(err, &broker) || ctx.Err() != nil {
			return ending(ctx, err)
		}
		if err := c.reopen(ctx, err); err != nil {
			return ending(ctx, err)
		}
	}
}

// Times between two attempts to open a broker again: the first, and the longest.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// reopen opens source and outputs again, as often as it takes.
func (c *Consumer) reopen(ctx context.Context, cause error) error {
	c.mu.Lock()
	_ = closeAll(c.source, c.sinks) // what it says follows from the cause
	c.source, c.sinks = nil, [outputs]Sink{}
	c.mu.Unlock()
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		c.o.Log.Warn("a broker failed; it is opened again", "cause", cause.Error(), "in", wait.String())
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
		source, sinks, err := open(ctx, c.o)
		if cause = err; err == nil {
			c.mu.Lock()
			c.source, c.sinks = source, sinks
			c.mu.Unlock()
			return nil
		}
	}
}

// run is Run until a broker fails.
func (c *Consumer) run(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(c.o.Drain, cancel) })()
	for full := false; ctx.Err() == nil; {
		if c.o.ToEnd && !full {
			if lag, err := c.source.Lag(ctx); err != nil || lag == 0 {
				return ending(ctx, failed(err))
			}
		}
		messages, err := c.source.Poll(ctx)
		if err != nil {
			return ending(ctx, failed(err))
		}
		full = len(messages) == page
		c.read.Add(int64(len(messages)))
		c.inFlight.Store(int64(len(messages)))
		if len(messages) > 0 {
			err = c.settle(work, messages)
		}
		c.inFlight.Store(0)
		if err != nil {
			return ending(work, err)
		}
	}
	return nil
}

// ending is the error of what was done within a context: none once that has ended, for what was read comes again.
func ending(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// settle decides on messages, writes what came of them, and acknowledges them.
func (c *Consumer) settle(ctx context.Context, messages []Message) error {
	records, err := c.decide(ctx, messages)
	if err != nil {
		return err
	}
	var all [outputs][]Record
	for _, r := range records {
		all[r.To] = append(all[r.To], r)
	}
	var beside []Record
	for n, records := range all {
		switch sink := c.sinks[n]; {
		case sink == nil:
			beside = append(beside, records...)
		case len(records) > 0:
			if err := sink.Write(ctx, records); err != nil {
				if err = fmt.Errorf("write %d records: %w", len(records), err); !local(sink) {
					err = failed(err)
				}
				return err
			}
		}
	}
	err = c.source.Commit(ctx, messages, beside)
	if errors.Is(err, errAgain) {
		c.again.Add(int64(len(messages)))
		return nil
	}
	if err == nil {
		c.decided.Add(int64(len(all[Decisions])))
		c.refused.Add(int64(len(all[Refusals])))
	}
	return failed(err)
}

// local reports an output that no broker has.
func local(sink Sink) bool {
	switch sink.(type) {
	case *file, lines:
		return true
	}
	return false
}

// decide asks about messages, in lanes beside each other: one for each partition, or so many, by nid.
func (c *Consumer) decide(ctx context.Context, messages []Message) ([]Record, error) {
	type lane struct {
		partition int32
		of        uint64
	}
	articles, lanes := make([]article, len(messages)), map[lane][]int{}
	for i, m := range messages {
		articles[i] = readArticle(m)
		l := lane{m.Partition, maphash.String(c.seed, articles[i].nid) % uint64(max(1, c.o.InFlight))}
		lanes[l] = append(lanes[l], i)
	}
	records := make([]Record, len(messages))
	group, ctx := errgroup.WithContext(ctx)
	for _, numbers := range lanes {
		group.Go(func() error {
			for _, i := range numbers {
				var err error
				if records[i], err = c.ask(ctx, articles[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return records, group.Wait()
}
