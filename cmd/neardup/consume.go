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
	cmd := verb("consume", expects(), func(cmd *cobra.Command, _ []string) error {
		if err := noTenants(layered(cmd.Flags())); err != nil {
			return err
		}
		return c.do(cmd.Context())
	})
	c.flags(cmd.Flags())
	return cmd
}

func (c *consume) flags(fs *pflag.FlagSet) {
	c.remote.add(fs)
	bind(fs, "consume", flags{
		"from": &c.o.From, "to": &c.o.To, "bad": &c.o.Bad, configFlag: new(string),
		"group": &c.o.Group, "instance": &c.o.Instance, "in-flight": &c.o.InFlight, "claim-after": &c.o.ClaimAfter,
		"to-end": &c.o.ToEnd, "metrics-addr": &c.metrics, "insecure": &c.insecure,
	})
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
