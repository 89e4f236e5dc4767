package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/neardup/neardup/streams"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type consume struct {
	*app
	remote   remoteFlags
	o        streams.Options
	metrics  string
	insecure bool
}

func consumeCommand(a *app) *cobra.Command {
	c := &consume{app: a}
	cmd := &cobra.Command{
		Use:   "consume --from URL --to URL|FILE|- --server URL [flags]",
		Short: "Feed a server from Kafka, Redis streams or NATS, and write its decisions",
		Long: `Reads articles, JSON as POST /v1/articles takes it with a nid, from a stream, asks
a running server about each, and writes the decisions, JSON with the topic,
partition and offset of the message, to another stream or a file. A message is
acknowledged once its answer is durable and its decision written: one that was
not comes again and gets the same answer.

What is no article, and what the server refuses, goes to --bad; without it, it
ends the command. While the server is busy or away, nothing more is read.

Addresses of --from, --to and --bad:
  kafka://HOST:PORT[,HOST:PORT...]/TOPIC     kafka+tls:// with TLS
  redis-stream://HOST:PORT/KEY               rediss-stream:// with TLS
  nats://HOST:PORT/SUBJECT                   nats+tls:// with TLS
Passwords (USER:PASSWORD@ before the host) belong into the environment, as
NEARDUP_FROM, or into the file of --config.

SIGTERM and SIGINT end it: what was read is settled within 10 s, exit 0.

` + exitHelp,
		Example: `  neardup consume --from kafka://127.0.0.1:9092/articles --to kafka://127.0.0.1:9092/decisions \
    --bad kafka://127.0.0.1:9092/refused --server http://127.0.0.1:8080
  neardup consume --from redis-stream://127.0.0.1:6379/articles --to decisions.jsonl \
    --bad refused.jsonl --server http://127.0.0.1:8080 --to-end
  NEARDUP_FROM=nats://user:secret@127.0.0.1:4222/articles neardup consume --to - \
    --server http://127.0.0.1:8080`,
		Args: expects(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noTenants(layered(cmd.Flags())); err != nil {
				return err
			}
			return c.do(cmd.Context())
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func (c *consume) flags(fs *pflag.FlagSet) {
	fs.StringVar(&c.o.From, "from", "", "stream of the articles")
	fs.StringVar(&c.o.To, "to", "", "stream or file of the decisions; - for standard output")
	fs.StringVar(&c.o.Bad, "bad", "", "stream or file of what is refused: where it lies, and why")
	c.remote.add(fs)
	fs.StringVar(&c.o.Group, "group", "neardup", "consumers of one group share the messages; another group gets all")
	fs.StringVar(&c.o.Instance, "instance", "", "name of this consumer in its group, the same after a restart (default: that of the host)")
	fs.IntVar(&c.o.InFlight, "in-flight", 1, "articles of a partition asked about at one moment; with more than 1 only those of one nid keep their order")
	fs.DurationVar(&c.o.ClaimAfter, "claim-after", 30*time.Second, "Redis, NATS: when another consumer gets what one has read and does not settle")
	fs.BoolVar(&c.o.ToEnd, "to-end", false, "end once all messages are settled")
	fs.StringVar(&c.metrics, "metrics-addr", "off", "address of /metrics; off for none")
	fs.BoolVar(&c.insecure, "insecure", false, "allow a public --metrics-addr")
	fs.String(configFlag, "", "TOML file of settings")
}

func (c *consume) valid() error {
	switch {
	case c.o.From == "":
		return usage("--from is missing")
	case c.o.To == "":
		return usage("--to is missing")
	case c.o.Bad != "" && c.o.Bad == c.o.To:
		return usage("--to and --bad are the same")
	case c.o.InFlight < 1:
		return usage("--in-flight is at least 1")
	case c.o.ClaimAfter < time.Second:
		return usage("--claim-after is at least a second")
	}
	return nil
}

func (c *consume) do(ctx context.Context) (err error) {
	if err := c.valid(); err != nil {
		return err
	}
	client, err := c.remote.client(c.stderr)
	if err != nil {
		return err
	}
	defer client.Close()
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("--instance is missing, and the host has no name: %w", err)
	}
	c.o.Instance = cmp.Or(c.o.Instance, host)
	c.o.Log = slog.New(slog.NewJSONHandler(c.stderr, nil))
	c.o.Stdout, c.o.Drain = c.stdout, drainTime
	consumer, err := streams.Open(ctx, client, c.o)
	if errors.Is(err, streams.ErrAddress) {
		return usage("%w", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	stop, err := serveMetrics(ctx, c.metrics, c.insecure, consumeRegistry(ctx, consumer), c.o.Log, make(chan error, 1))
	if err != nil {
		return err
	}
	defer stop()
	c.o.Log.Info("consuming", "from", where(c.o.From), "to", where(c.o.To), "group", c.o.Group, "instance", c.o.Instance)
	err = consumer.Run(ctx)
	n := consumer.Counts()
	c.o.Log.Info("done", "read", n.Read, "decided", n.Decided, "refused", n.Refused, "again", n.Again)
	return err
}

// lagTime is how long a broker may take to say the lag.
const lagTime = 5 * time.Second

// consumeRegistry has the figures of a consumer.
func consumeRegistry(ctx context.Context, c *streams.Consumer) *prometheus.Registry {
	r := processRegistry()
	for _, f := range []struct {
		name, help string
		value      func(streams.Counts) int64
	}{
		{"neardup_consume_read_total", "Messages read.", func(n streams.Counts) int64 { return n.Read }},
		{"neardup_consume_decided_total", "Messages whose decision is written and that are acknowledged.", func(n streams.Counts) int64 { return n.Decided }},
		{"neardup_consume_refused_total", "Messages refused and acknowledged.", func(n streams.Counts) int64 { return n.Refused }},
		{"neardup_consume_again_total", "Messages given up to another consumer of the group.", func(n streams.Counts) int64 { return n.Again }},
	} {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: f.name, Help: f.help}, func() float64 { return float64(f.value(c.Counts())) }))
	}
	gauge(r, "neardup_consume_in_flight", "Messages read and not acknowledged yet.", func() float64 { return float64(c.Counts().InFlight) })
	gauge(r, "neardup_consume_waiting", "Of these, articles that the server did not take when it was last asked.", func() float64 { return float64(c.Counts().Waiting) })
	gauge(r, "neardup_consume_lag", "Messages of the group that are not acknowledged; NaN: the broker does not say.", func() float64 {
		ctx, cancel := context.WithTimeout(ctx, lagTime)
		defer cancel()
		lag, err := c.Lag(ctx)
		if err != nil {
			return math.NaN()
		}
		return float64(lag)
	})
	return r
}
