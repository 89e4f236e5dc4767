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

// Options are options of a Consumer.
type Options struct {
	// From is the address of the source. To is the address for decisions, and Bad that for rejected messages. An output may
	// also be a file, or - for Stdout. Without Bad, a rejected message ends Run.
	From, To, Bad string
	Stdout        io.Writer
	// Group names the consumers that share the messages and the acknowledgements of the source. Instance
	// names this consumer. After a crash, a consumer with the same Instance resumes its messages at once.
	Group, Instance string
	// ClaimAfter is the time after which others claim messages of a silent consumer, in Redis and NATS.
	ClaimAfter time.Duration
	// InFlight bounds the concurrent requests for one partition. With 1, articles are decided in the order of the
	// partition. With more, only articles with the same nid keep their order.
	InFlight int
	// ToEnd makes Run return once every message is acknowledged.
	ToEnd bool
	// Drain is the time for which Run continues with messages that it has read after its context has ended.
	Drain time.Duration
	Log   *slog.Logger
}

// Service decides on articles. *api.Client implements it.
type Service interface {
	SubmitJSON(ctx context.Context, article []byte, key string) (api.Answer, error)
}

// Counts holds the progress of a Consumer.
type Counts struct {
	Read, Decided, Refused, Again int64 // numbers of messages; Again counts those that another consumer has claimed
	InFlight                      int64 // messages that are read but not acknowledged
	Waiting                       int64 // messages in flight for which the last request failed
}

// Consumer feeds a service from a source.
type Consumer struct {
	o       Options
	service Service
	mu      sync.RWMutex // protects source, because Lag uses it concurrently
	source  Source       // nil from a failure until it is reopened
	sinks   [outputs]Sink
	seed    maphash.Seed

	read, decided, refused, again, inFlight, waiting atomic.Int64
}

// Open connects to the source and the outputs.
func Open(ctx context.Context, service Service, o Options) (*Consumer, error) {
	source, sinks, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Consumer{o: o, service: service, source: source, sinks: sinks, seed: maphash.MakeSeed()}, nil
}

// Close closes the connections.
func (c *Consumer) Close() error { return closeAll(c.source, c.sinks) }

// Counts returns the progress until now.
func (c *Consumer) Counts() Counts {
	return Counts{
		Read: c.read.Load(), Decided: c.decided.Load(), Refused: c.refused.Load(), Again: c.again.Load(),
		InFlight: c.inFlight.Load(), Waiting: c.waiting.Load(),
	}
}

// Lag returns the number of messages in the source that are not acknowledged.
func (c *Consumer) Lag(ctx context.Context) (int64, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.source == nil {
		return 0, errors.New("the source is not reachable")
	}
	return c.source.Lag(ctx)
}

// failure is an error of a broker.
type failure struct{ error }

// Unwrap returns the broker's error.
func (f failure) Unwrap() error { return f.error }

func failed(err error) error {
	if err == nil || errors.Is(err, errAgain) {
		return err
	}
	return failure{err}
}

// Run consumes messages until ctx ends, and then finishes those that it has read within Drain. If a broker fails, Run
// reopens it, and unacknowledged messages are delivered again.
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

// Pauses between attempts to reopen a broker: the first and the longest.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// reopen reopens the source and the outputs, and retries until it succeeds.
func (c *Consumer) reopen(ctx context.Context, cause error) error {
	c.mu.Lock()
	_ = closeAll(c.source, c.sinks) // errors here are consequences of cause
	c.source, c.sinks = nil, [outputs]Sink{}
	c.mu.Unlock()
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		c.o.Log.Warn("a broker failed; connecting again", "cause", cause.Error(), "in", wait.String())
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
		source, sinks, err := open(ctx, c.o)
		cause = err
		if err == nil {
			c.mu.Lock()
			c.source, c.sinks = source, sinks
			c.mu.Unlock()
			return nil
		}
	}
}

// run consumes until a broker fails.
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

// ending returns err. If ctx has ended it returns nil, because unacknowledged messages are delivered again.
func ending(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// settle decides on messages, writes the records, and acknowledges the messages.
func (c *Consumer) settle(ctx context.Context, messages []Message) error {
	records, err := c.submit(ctx, messages)
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
				err = fmt.Errorf("write %d records: %w", len(records), err)
				if !local(sink) {
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

// local reports whether an output is a file or standard output.
func local(sink Sink) bool {
	switch sink.(type) {
	case *file, lines:
		return true
	}
	return false
}

// submit submits messages in parallel lanes. A partition has InFlight lanes, chosen by nid.
func (c *Consumer) submit(ctx context.Context, messages []Message) ([]Record, error) {
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
				records[i], err = c.ask(ctx, articles[i])
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return records, group.Wait()
}
