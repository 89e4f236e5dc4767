package load

import (
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/redis"
)

// BenchmarkRedis decides b.N articles of 3 KB, a third of them near-duplicates, 16 at a
// time, against an index in a Redis that fsyncs always, without service and sinks. It says how
// much time of the processor an article costs in Redis, and here; what makes the articles is in that.
//
//	go test ./load -run - -bench Redis -benchtime 10000x
func BenchmarkRedis(b *testing.B) {
	server := services.Redis(b)
	store, err := redis.Open(b.Context(), redis.Options{Address: "redis://" + server.Addr})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	d, err := standard.Open(b.Context(), store, "default")
	if err != nil {
		b.Fatal(err)
	}
	there, here := server.CPU(), cpu(b)
	b.ResetTimer()
	if err := Fill(b.Context(), d, b.N); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N) }
	b.ReportMetric(each(server.CPU()-there), "us-Redis/op")
	b.ReportMetric(each(cpu(b)-here), "us-here/op")
}

// cpu is what this process has spent.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
