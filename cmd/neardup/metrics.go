package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/neardup/neardup/server"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// processRegistry has the figures of the process.
func processRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "neardup_build_info", Help: "1: which program it is.",
		ConstLabels: prometheus.Labels{"version": version()},
	}, func() float64 { return 1 }))
	return r
}

// newRegistry has those of a store, too.
func newRegistry(store *openStore) *prometheus.Registry {
	r := processRegistry()
	gauge(r, "neardup_store_poisoned", "1 while the store takes no writes.", func() float64 {
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

// serveMetrics serves /metrics on its own listener; a public address only if that is said to be well.
func serveMetrics(ctx context.Context, addr string, public bool, registry *prometheus.Registry, log *slog.Logger, ended chan<- error) (func(), error) {
	if addr == "off" || addr == "" {
		return func() {}, nil
	}
	if !loopback(addr) && !public {
		return nil, usage("--metrics-addr %s is public: use a loopback address, or --insecure", addr)
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
	return func() { _ = srv.Close() }, nil // it only ever reads
}
