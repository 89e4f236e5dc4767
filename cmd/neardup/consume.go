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
)

type consume struct {
	*app
	//lint:ignore U1000 --config, read by reflection
	config                         string
	remote                         remoteFlags
	from, to, bad, group, instance string
	inFlight                       int
	claimAfter                     time.Duration
	toEnd, insecure                bool
	metricsAddr                    string
}

func (c *consume) valid() error {
	switch {
	case c.from == "":
		return usage("--from is missing")
	case c.to == "":
		return usage("--to is missing")
	case c.bad != "" && c.bad == c.to:
		return usage("--to and --bad are the same")
	}
	return nil
}

func (c *consume) do(ctx context.Context, _ []string) (err error) {
	if err := noTenants(layered(c.cmd.Flags())); err != nil {
		return err
	}
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
	c.instance = cmp.Or(c.instance, host)
	log := slog.New(slog.NewJSONHandler(c.stderr, nil))
	consumer, err := streams.Open(ctx, client, streams.Options{
		From: c.from, To: c.to, Bad: c.bad, Group: c.group, Instance: c.instance, InFlight: c.inFlight, ClaimAfter: c.claimAfter, ToEnd: c.toEnd,
		Log: log, Stdout: c.stdout, Drain: drainTime,
	})
	if errors.Is(err, streams.ErrAddress) {
		return usage("%w", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	stop, err := serveMetrics(ctx, c.metricsAddr, c.insecure, consumeRegistry(ctx, consumer), log, make(chan error, 1))
	if err != nil {
		return err
	}
	defer stop()
	log.Info("consuming", "from", where(c.from), "to", where(c.to), "group", c.group, "instance", c.instance)
	err = consumer.Run(ctx)
	n := consumer.Counts()
	log.Info("done", "read", n.Read, "decided", n.Decided, "refused", n.Refused, "again", n.Again)
	return err
}

// lagTime is the timeout for reading the lag from a broker.
const lagTime = 5 * time.Second

// consumeRegistry returns a registry with the metrics of a consumer.
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
