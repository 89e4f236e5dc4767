package main

import (
	"github.com/neardup/neardup/store/pebble"
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
	store.gauges(r)
	return r
}

func gauge(r *prometheus.Registry, name, help string, value func() float64) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// pebbleGauges are the figures of the embedded store.
func pebbleGauges(r *prometheus.Registry, store *pebble.Store) {
	gauge(r, "neardup_store_disk_bytes", "Bytes of the store on disk.", func() float64 {
		m := store.Metrics()
		return float64(m.DiskSpaceUsage())
	})
	gauge(r, "neardup_store_compaction_debt_bytes", "Bytes that compactions have yet to rewrite.", func() float64 {
		return float64(store.Metrics().Compact.EstimatedDebt)
	})
	gauge(r, "neardup_store_read_amplification", "Files that a read may have to ask.", func() float64 {
		return float64(store.Metrics().ReadAmp())
	})
}
