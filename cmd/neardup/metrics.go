package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// newRegistry has the figures of the process and of the store.
func newRegistry(store *openStore) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge(r, "neardup_store_poisoned", "1 once the store takes no more writes.", func() float64 {
		if store.Poisoned() != nil {
			return 1
		}
		return 0
	})
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "neardup_build_info", Help: "1: which program it is.",
		ConstLabels: prometheus.Labels{"version": version()},
	}, func() float64 { return 1 }))
	store.gauges(r)
	return r
}

func gauge(r *prometheus.Registry, name, help string, value func() float64) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}
