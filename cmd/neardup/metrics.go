package main

import (
	"github.com/neardup/neardup/store/pebble"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// newRegistry has the figures of the process and of the store.
func newRegistry(store *pebble.Store) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func() float64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("neardup_store_disk_bytes", "Bytes of the store on disk.", func() float64 {
		m := store.Metrics()
		return float64(m.DiskSpaceUsage())
	})
	gauge("neardup_store_compaction_debt_bytes", "Bytes that compactions have yet to rewrite.", func() float64 {
		return float64(store.Metrics().Compact.EstimatedDebt)
	})
	gauge("neardup_store_read_amplification", "Files that a read may have to ask.", func() float64 {
		return float64(store.Metrics().ReadAmp())
	})
	gauge("neardup_store_poisoned", "1 once the store takes no more writes.", func() float64 {
		if store.Poisoned() != nil {
			return 1
		}
		return 0
	})
	return r
}
