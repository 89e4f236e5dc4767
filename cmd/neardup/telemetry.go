//go:build full

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/internal/span"
	"github.com/neardup/neardup/server"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Spans are lost if the collector does not accept a batch within tracesWait. At the end, the last spans have tracesDrain.
const (
	tracesWait  = 10 * time.Second
	tracesDrain = 2 * time.Second
)

// tracesOff is the value of --traces that disables traces, even if the environment enables them.
const tracesOff = "off"

type telemetry struct {
	logLevel, traces string
	log              *slog.Logger
}

func (t *telemetry) openLog(to io.Writer) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(t.logLevel)); err != nil {
		return usage("--log-level %s: invalid (want debug, info, warn, error)", t.logLevel)
	}
	t.log = slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level}))
	return nil
}

// tracesURL returns the address for spans from --traces or the variables of OpenTelemetry, or "" for none.
func tracesURL(flag string) (string, error) {
	base, whole := cmp.Or(flag, os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")), os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	switch {
	case flag == tracesOff, flag == "" && (os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none"):
		return "", nil
	case flag != "", whole == "" && base != "":
		whole = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if u, err := url.Parse(whole); whole != "" && (err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https")) {
		return "", usage("--traces or OTEL_EXPORTER_OTLP_ENDPOINT: invalid address %s (want http://HOST:PORT)", where(whole))
	}
	return whole, nil
}

// tracesHeader returns the headers for the collector. They may be secrets, so no flag sets them.
func tracesHeader() (http.Header, error) {
	h := http.Header{"Content-Type": {"application/x-protobuf"}, "User-Agent": {"neardup/" + version()}}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(os.Getenv(name), ",") {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			key, value, is := strings.Cut(pair, "=")
			value, err := url.PathUnescape(strings.TrimSpace(value))
			key = strings.TrimSpace(key)
			if !is || key == "" || err != nil {
				return nil, usage("%s: invalid (want name=value,name=value)", name)
			}
			h.Set(key, value)
		}
	}
	return h, nil
}

// traced starts to send spans and adds their ids to the log. stop sends the last ones.
func (t *telemetry) traced(ctx context.Context) (to trace.TracerProvider, stop func(), err error) {
	address, err := tracesURL(t.traces)
	if err != nil || address == "" {
		return nil, func() {}, err
	}
	c := &collector{url: address, log: t.log, stopped: make(chan struct{}), client: http.Client{
		Timeout:       tracesWait,
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers are for this server only
	}}
	c.header, err = tracesHeader()
	if err != nil {
		return nil, nil, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", "neardup"), attribute.String("service.version", version())), resource.WithFromEnv())
	if err != nil {
		return nil, nil, usage("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptrace.New(ctx, c)
	if err != nil {
		return nil, nil, fmt.Errorf("traces: %w", err)
	}
	t.log = slog.New(span.Handler{Handler: t.log.Handler()})
	t.log.Info("traces", "to", where(address))
	var hangUp context.CancelFunc
	c.running, hangUp = context.WithCancel(context.WithoutCancel(ctx))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return provider, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesDrain)
		defer cancel()
		_ = provider.Shutdown(end) // the log reports lost spans
		hangUp()
		<-c.stopped
	}, nil
}

// collector sends spans by OTLP over HTTP. It replaces the exporter's own client, which depends on gRPC.
type collector struct {
	url    string
	header http.Header
	client http.Client
	log    *slog.Logger
	away   atomic.Bool

	running context.Context // cancelling it ends running requests
	stopped chan struct{}
}

// Start does nothing because there is no connection to open.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes idle connections. The exporter calls it once, when no upload is running.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	close(c.stopped)
	return nil
}

// UploadTraces sends spans once. Failed spans are lost, and the log reports when losses begin and end. It
// returns no error because the SDK would print each to standard error.
func (c *collector) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	err := c.post(ctx, spans)
	switch was := c.away.Swap(err != nil); {
	case err != nil && !was:
		c.log.Warn("spans are lost: the collector refuses them", "cause", span.Cause(err))
	case err == nil && was:
		c.log.Info("the collector accepts spans again")
	}
	return nil
}

func (c *collector) post(ctx context.Context, spans []*otlp.ResourceSpans) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(c.running, stop)()
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans}) // encoded like an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = c.header.Clone()
	resp, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // so that the connection can be reused
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}

func processRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "neardup_build_info", Help: "Version of the program; always 1.",
		ConstLabels: prometheus.Labels{"version": version()},
	}, func() float64 { return 1 }))
	return r
}

func newRegistry(store *openStore) *prometheus.Registry {
	r := processRegistry()
	gauge(r, "neardup_store_poisoned", "1 while the store accepts no writes.", func() float64 {
		if store.Poisoned() != nil {
			return 1
		}
		return 0
	})
	store.gauges(r)
	return r
}

func gauge(r *prometheus.Registry, name, help string, value func() float64) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// serveMetrics serves /metrics on its own listener. It rejects a public address unless public is true.
func serveMetrics(ctx context.Context, addr string, public bool, registry *prometheus.Registry, log *slog.Logger, ended chan<- error) (func(), error) {
	if addr == "off" || addr == "" {
		return func() {}, nil
	}
	if !loopback(addr) && !public {
		return nil, usage("--metrics-addr %s: a public address (want a loopback address, or --insecure)", addr)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	srv := server.NewHTTP(mux, log)
	go func() { ended <- srv.Serve(l) }()
	log.Info("metrics", "addr", l.Addr().String())
	return func() { _ = srv.Close() }, nil // closing a server that only reads loses nothing
}
