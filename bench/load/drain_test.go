package load_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/store/hbase"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
)

// BenchmarkDrain feeds MySQL and HBase what has waited for them, articles of 3 KB, and
// says what an article costs each process: of the processor, for
// time is the machine's.
func BenchmarkDrain(b *testing.B) {
	maria, h := services.MariaDB(b), services.StartHBase(b)
	rows, err := mysql.Open(b.Context(), mysql.Options{Address: "mysql://root:@" + maria.Addr + "/neardup"})
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	cells, err := hbase.Open(b.Context(), "hbase+http://"+h.Gateway.Addr)
	if err != nil {
		b.Fatal(err)
	}
	defer cells.Close()
	for _, c := range []struct {
		name    string
		sink    docid.Sink
		servers map[string]*services.Server
	}{
		{"mysql", rows, map[string]*services.Server{"mariadb": maria}},
		{"hbase", cells, map[string]*services.Server{"hbase": h.Server, "gateway": h.Gateway}},
	} {
		b.Run(c.name, func(b *testing.B) {
			drain(b, c.name+fmt.Sprint(b.N), c.servers, c.sink)
		})
	}
}

// drain has b.N articles wait for a sink and feeds it.
func drain(b *testing.B, tenant string, servers map[string]*services.Server, sink docid.Sink) {
	ctx := b.Context()
	store, err := pebble.Open(ctx, b.TempDir(), pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	d, err := standard.Open(ctx, store, tenant)
	if err != nil {
		b.Fatal(err)
	}
	relay, err := d.Relay(ctx, "sink", sink)
	if err != nil {
		b.Fatal(err)
	}
	if err := load.Fill(ctx, d, b.N); err != nil {
		b.Fatal(err)
	}
	before := map[string]time.Duration{}
	for name, s := range servers {
		before[name] = s.CPU()
	}
	own := processor(b)
	b.ResetTimer()
	if at, err := relay.Drain(ctx); err != nil || at < uint64(b.N) {
		b.Fatalf("drained up to %d of %d: %v", at, b.N, err)
	}
	b.StopTimer()
	each := func(name string, spent time.Duration) {
		b.ReportMetric(float64(spent.Microseconds())/float64(b.N), name+"-us/op")
	}
	each("relay", processor(b)-own)
	for name, s := range servers {
		each(name, s.CPU()-before[name])
	}
}

// processor is the time of the processor that this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
