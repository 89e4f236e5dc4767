// Package again measures how fast a lost index is made again from real servers:
//
//	NEARDUP_ARTICLES=50000 go test ./again -v -timeout 1h
package again

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/hbase"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/redis"
)

// used is the time of the processor of this process and of a server so far.
type used struct{ own, redis, mysql, hbase, gateway time.Duration }

func (r *rig) used() used {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return used{
		time.Duration(u.Utime.Nano() + u.Stime.Nano()), r.servers[0].CPU(), r.servers[1].CPU(), r.servers[2].CPU(), r.servers[3].CPU(),
	}
}

// rig is the servers and what is open on them.
type rig struct {
	servers [4]*services.Server
	index   *redis.Store
	history *mysql.Sink
	library *hbase.Sink
}

func newRig(t *testing.T) *rig {
	h := services.StartHBase(t)
	r := &rig{servers: [4]*services.Server{services.Redis(t), services.MariaDB(t), h.Server, h.Gateway}}
	var err, err2, err3 error
	r.index, err = redis.Open(t.Context(), redis.Options{Address: "redis://" + r.servers[0].Addr})
	r.history, err2 = mysql.Open(t.Context(), mysql.Options{Address: "mysql://root@" + r.servers[1].Addr + "/neardup", Seal: &mysql.Seal{}})
	r.library, err3 = hbase.Open(t.Context(), "hbase+http://"+h.Gateway.Addr)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.index.Close(); r.history.Close(); r.library.Close() })
	return r
}

// step logs what a piece of work on some articles took.
func (r *rig) step(t *testing.T, what string, articles int, work func() error) {
	t.Helper()
	before, start := r.used(), time.Now()
	if err := work(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	took, now := time.Since(start), r.used()
	each := func(a, b time.Duration) float64 { return float64((b - a).Microseconds()) / float64(articles) }
	t.Logf("%s: %.1f s, %.0f articles/s; microseconds of the processor an article: %.0f here, Redis %.0f, MariaDB %.0f, HBase %.0f, its gateway %.0f",
		what, took.Seconds(), float64(articles)/took.Seconds(), each(before.own, now.own), each(before.redis, now.redis),
		each(before.mysql, now.mysql), each(before.hbase, now.hbase), each(before.gateway, now.gateway))
}

func TestRate(t *testing.T) {
	articles, _ := strconv.Atoi(os.Getenv("NEARDUP_ARTICLES"))
	if articles == 0 {
		articles = 100 // that it works; no figure
	}
	r, ctx := newRig(t), t.Context()
	d, err := standard.Open(ctx, r.index, "again")
	if err != nil {
		t.Fatal(err)
	}
	relays := map[string]*docid.Relay{}
	for name, sink := range map[string]docid.Sink{"map": r.history, "articles": r.library} {
		if relays[name], err = d.Relay(ctx, name, sink); err != nil {
			t.Fatal(err)
		}
	}
	r.step(t, "add", articles, func() error { return load.Fill(ctx, d, articles) })
	for name, relay := range relays {
		r.step(t, "drain to "+name, articles, func() error {
			_, err := relay.Drain(ctx)
			return err
		})
	}
	want, err := docid.LogDigest(ctx, d.Index().Catalog(), d.Seen())
	if err != nil {
		t.Fatal(err)
	}
	r.servers[0].Kill()
	if err := os.RemoveAll(r.servers[0].Dir + "/appendonlydir"); err != nil {
		t.Fatal(err)
	}
	r.servers[0].Start(t)
	var sum docid.Rebuilt
	r.step(t, "rebuild", articles, func() (err error) {
		b := docid.Rebuild{Store: r.index, History: r.history, Library: r.library, Tenant: "again", Settings: standard.Settings(), Drained: true}
		sum, err = b.Run(ctx)
		return err
	})
	if sum.Digest != want {
		t.Errorf("digest %s, want %s", sum.Digest, want)
	}
	t.Logf("%d processors; %+v", runtime.NumCPU(), sum)
}
