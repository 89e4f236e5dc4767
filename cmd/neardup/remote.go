//go:build full

package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/streams"
	"github.com/prometheus/client_golang/prometheus"
)

type remoteFlags struct {
	server, tokenFile string
}

// client makes a client that reports once that it has to wait. It takes no token from a flag because other
// users could see it.
func (f *remoteFlags) client(tell io.Writer) (*api.Client, error) {
	token := os.Getenv("NEARDUP_TOKEN")
	if f.tokenFile != "" {
		b, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		token = strings.TrimSpace(string(b))
		if token == "" {
			return nil, fmt.Errorf("--token-file %s: no token in it", f.tokenFile)
		}
	}
	var once sync.Once
	c, err := api.NewClient(f.server, api.Options{Token: token, Waits: func(err error) {
		once.Do(func() { fmt.Fprintf(tell, "no answer yet: %s; retrying for 30 seconds\n", plainly(err)) })
	}})
	if err != nil {
		return nil, usage("--server: %w", err)
	}
	return c, nil
}

// exportPage is the number of changes or rulings per request.
const exportPage = 1000

type export struct {
	*app
	remote remoteFlags
}

func (e *export) do(ctx context.Context, _ []string) error {
	c, err := e.remote.client(e.stderr)
	if err != nil {
		return err
	}
	defer c.Close()
	found, err := exported(ctx, c)
	if err != nil {
		return err
	}
	rows := [][]string{{"id", "docId"}}
	for _, nid := range slices.Sorted(maps.Keys(found)) {
		rows = append(rows, []string{corpus.Cell(nid), found[nid]})
	}
	return csv.NewWriter(e.stdout).WriteAll(rows)
}

// exported maps the nid of every live article to its docId.
func exported(ctx context.Context, c *api.Client) (map[string]string, error) {
	st, err := c.Stats(ctx)
	if err != nil {
		return nil, err
	}
	docIDs, ended := map[string]string{}, map[string]bool{}
	for at := uint64(0); at < st.Seq; {
		page, err := c.Log(ctx, at, exportPage)
		if err != nil {
			return nil, err
		}
		if len(page.Entries) == 0 || !slices.Equal(page.Epochs, st.Epochs) {
			return nil, errors.New("the index was restored while the command read it: run the command again")
		}
		for _, e := range page.Entries {
			at = e.Seq
			if at > st.Seq {
				break
			}
			switch e.Kind {
			case "new", "duplicate", "correct":
				docIDs[e.NID] = e.DocID
			case "delete":
				delete(docIDs, e.NID)
			case "end", "expire":
				ended[e.DocID] = true
			}
		}
	}
	maps.DeleteFunc(docIDs, func(_, docID string) bool { return ended[docID] })
	return docIDs, nil
}

type correct struct {
	*app
	remote                 remoteFlags
	with, docid, text, why string
	alone                  bool
}

func (c *correct) do(ctx context.Context, args []string) error {
	to := api.Correction{With: c.with, DocID: c.docid, Why: c.why}
	if c.text != "" {
		b, err := os.ReadFile(c.text)
		if err != nil {
			return fmt.Errorf("--text: %w", err)
		}
		text := string(b)
		to.Content = &text
	}
	client, err := c.remote.client(c.stderr)
	if err != nil {
		return err
	}
	defer client.Close()
	m, err := client.Correct(ctx, args[0], to)
	var refused *api.Problem
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusUnprocessableEntity && c.alone && c.text == "":
		return fmt.Errorf("%w (want --text FILE, or a server with --keep-texts)", err)
	case err != nil:
		return err
	case m.Unchanged:
		fmt.Fprintf(c.stdout, "%s has docId %s already\n", m.NID, m.DocID)
	default:
		fmt.Fprintf(c.stdout, "%s has docId %s instead of %s (change %d)\n", m.NID, m.DocID, m.Corrected.Before, m.Seq)
	}
	return nil
}

type rulings struct {
	*app
	remote             remoteFlags
	out, labels, audit string
}

func (r *rulings) do(ctx context.Context, _ []string) error {
	client, err := r.remote.client(r.stderr)
	if err != nil {
		return err
	}
	defer client.Close()
	var all []api.RulingEntry
	for after := uint64(0); ; {
		page, err := client.Rulings(ctx, after, exportPage)
		if err != nil {
			return err
		}
		all = append(all, page.Rulings...)
		after = page.Next
		if after == 0 {
			break
		}
	}
	return r.batchRun(nil, &runFlags{}, nil, false, func(_ *corpus.Reader, rep *reporter) (result, error) {
		overrides, labels, audit := rep.open(r.out), rep.open(r.labels), rep.open(r.audit)
		err := rep.err
		for _, e := range all {
			err = cmp.Or(err, audit.WriteJSON(e))
		}
		for _, e := range last(all) {
			if link := override.Link(e.Link); link == override.Must || link == override.Cannot {
				err = cmp.Or(err, overrides.WriteJSON(override.Ruling{A: e.A, B: e.B, Link: link, Who: e.Who, Time: e.Time.Format(time.RFC3339)}))
			}
		}
		if labels == nil || err != nil {
			return nil, err
		}
		names := map[string]string{string(override.Must): "same", string(override.Cannot): "other", string(override.Unsure): "unsure"}
		fmt.Fprintln(labels, "set\tid_a\tid_b\tlabel\tband") // labels keeps its first error
		for _, e := range last(all) {
			if name := names[e.Link]; name != "" {
				fmt.Fprintf(labels, "service\t%s\t%s\t%s\tservice\n", eval.EscapeField(e.A), eval.EscapeField(e.B), name)
			}
		}
		return nil, nil
	})
}

// last returns the valid rulings: the last one of each pair, in the order of the first ones.
func last(all []api.RulingEntry) []api.RulingEntry {
	var held []api.RulingEntry
	at := map[[2]string]int{}
	for _, e := range all {
		pair := [2]string{min(e.A, e.B), max(e.A, e.B)}
		if _, ok := at[pair]; !ok {
			at[pair], held = len(held), append(held, e)
		}
		held[at[pair]] = e
	}
	return held
}

type consume struct {
	*app
	//lint:ignore U1000 --config, read by reflection
	config          string
	remote          remoteFlags
	streams.Options `flags:"from to bad group instance in-flight claim-after to-end"`
	insecure        bool
	metricsAddr     string
}

func (c *consume) do(ctx context.Context, _ []string) (err error) {
	if err := noTenants(layered(c.cmd.Flags())); err != nil {
		return err
	}
	if err := refused(c.cmd); err != nil {
		return err
	}
	if c.Bad == c.To {
		return usage("--to and --bad name the same output (want two)")
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
	log := slog.New(slog.NewJSONHandler(c.stderr, nil))
	c.Instance, c.Log, c.Stdout, c.Drain = cmp.Or(c.Instance, host), log, c.stdout, drainTime
	consumer, err := streams.Open(ctx, client, c.Options)
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
	log.Info("consuming", "from", where(c.From), "to", where(c.To), "group", c.Group, "instance", c.Instance)
	err = consumer.Run(ctx)
	n := consumer.Counts()
	log.Info("done", "read", n.Read, "decided", n.Decided, "refused", n.Refused, "again", n.Again)
	return err
}

// lagTime is the timeout for reading the lag from a broker.
const lagTime = 5 * time.Second

func consumeRegistry(ctx context.Context, c *streams.Consumer) *prometheus.Registry {
	r := processRegistry()
	counter := func(name, help string, value func(streams.Counts) int64) {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(c.Counts())) }))
	}
	counter("neardup_consume_read_total", "Messages read.", func(n streams.Counts) int64 { return n.Read })
	counter("neardup_consume_decided_total", "Messages whose decision is written and that are acknowledged.", func(n streams.Counts) int64 { return n.Decided })
	counter("neardup_consume_refused_total", "Messages refused and acknowledged.", func(n streams.Counts) int64 { return n.Refused })
	counter("neardup_consume_again_total", "Messages that another consumer of the group took over.", func(n streams.Counts) int64 { return n.Again })
	gauge(r, "neardup_consume_in_flight", "Messages read and not acknowledged yet.", func() float64 { return float64(c.Counts().InFlight) })
	gauge(r, "neardup_consume_waiting", "Of these, articles that the server did not accept at the last attempt.", func() float64 { return float64(c.Counts().Waiting) })
	gauge(r, "neardup_consume_lag", "Messages of the group that are not acknowledged; NaN: unknown.", func() float64 {
		ctx, cancel := context.WithTimeout(ctx, lagTime)
		defer cancel()
		if lag, err := c.Lag(ctx); err == nil {
			return float64(lag)
		}
		return math.NaN()
	})
	return r
}
