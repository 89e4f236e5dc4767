package production_test

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/redislog"
)

var (
	subjects  = flag.String("subjects", "log,production,embedded,classic", "what is measured, in order")
	loaded    = flag.Int("loaded", 90, "articles of 3 KB, every third a near-duplicate, that the log and the embedded store begin with: loaded once, into a folder that each has a copy of")
	articles  = flag.Int("articles", 300, "articles to load then, by the batch route of each")
	rate      = flag.Float64("rate", 100, "requests a second of the steady run")
	seconds   = flag.Int("seconds", 1, "length of the steady run; that of each step to the highest rate is a third")
	most      = flag.Float64("most", 0, "the highest rate with p99 <= 40 ms is looked for from here up, by tenths; 0: not at all")
	servers   = flag.Int("servers", 2, "servers over one log")
	asked     = flag.Int("asked", 0, "servers that get requests, the others only follow; 0: all")
	groups    = flag.Int("groups", 20, "how often 16 clients send near-identical articles at one moment")
	workers   = flag.Int("workers", 128, "requests open at one moment")
	gateways  = flag.Int("gateways", 1, "gateways of HBase")
	prove     = flag.Bool("prove", true, "prove a server of the log by the log")
	again     = flag.Bool("again", true, "lose log and index at the end and make them again")
	binary    = flag.String("binary", "", "the program; empty: built from the source")
	java      = flag.String("java", "", "more flags of the JVMs of HBase and its gateways")
	redisArgs = flag.String("redis", "", "more arguments of redis-server")
)

func TestRates(t *testing.T) {
	r := newRig(t)
	r.load(t)
	for name := range strings.SplitSeq(*subjects, ",") {
		start, ok := map[string]func(*testing.T) *subject{"log": r.log, "production": r.production, "embedded": r.embedded, "classic": r.classic}[name]
		if !ok {
			t.Fatalf("no subject %q", name)
		}
		t.Run(name, func(t *testing.T) {
			s := start(t)
			m := &measure{subject: s, made: load.NewArticles(), next: s.first}
			m.fill(t)
			m.steady(t)
			m.highest(t)
			doubled := m.oneMoment(t)
			if name == "classic" {
				return
			}
			if doubled > 0 {
				t.Errorf("%d docIds were doubled", doubled)
			}
			if name == "log" {
				r.newcomer(t, s, m.next+*groups*clients-s.first)
			}
			if name != "production" {
				return
			}
			s.drained(t)
			made := m.next + *groups*clients
			if *again {
				r.loseAndRebuild(t, s, made)
			}
		})
	}
}

// measure is the work on one subject; next is the number of the next article.
type measure struct {
	*subject
	made *load.Articles
	next int
}

// fill loads the articles by the batch route and waits for the sinks.
func (m *measure) fill(t *testing.T) {
	start := time.Now()
	cpu := m.measured(func() int {
		if err := m.target.Fill(t.Context(), m.made, m.next, m.next+*articles, 16); err != nil {
			t.Fatal(err)
		}
		t.Logf("fill: %d articles in %.1f s; then wait for the sinks %v", *articles, time.Since(start).Seconds(), m.waiting(t))
		m.drained(t)
		return *articles
	})
	m.next += *articles
	m.sizes(t, m.next)
	t.Logf("fill and drain: %.1f s, %.0f articles/s; %s; load %s", time.Since(start).Seconds(), float64(*articles)/time.Since(start).Seconds(), cpu, loadAverage())
	m.shares(t)
}

// shares says how many of the articles were decided how; one that was sent again,
// because the service was busy, is counted again.
func (m *measure) shares(t *testing.T) {
	decisions, sum := map[string]float64{}, 0.
	for _, one := range m.servers {
		for name, n := range one.sample(t) {
			if strings.HasPrefix(name, "neardup_decisions_total{") {
				decisions[name] += n
				sum += n
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(decisions)) {
		t.Logf("%s: %.1f %%", name, 100*decisions[name]/sum)
	}
}

// open holds a rate for some seconds, and says what it cost each process.
func (m *measure) open(t *testing.T, name string, rate float64, seconds int) load.Result {
	t.Helper()
	var r load.Result
	ready := m.target.Prepare(load.Submit(m.made.Make), m.next, rate, time.Duration(seconds)*time.Second)
	cpu := m.measured(func() int {
		r = ready.Run(t.Context(), *workers)
		return r.Sent
	})
	m.next += r.Sent
	t.Logf("%s at %.0f/s: %s; %s; load %s", name, rate, r, cpu, loadAverage())
	return r
}

// steady holds the rate that was asked for, and says how far the sinks were behind
// at its end.
func (m *measure) steady(t *testing.T) {
	m.open(t, "warm-up", *rate, max(1, *seconds/4))
	m.open(t, "steady", *rate, *seconds)
	if m.log != "" {
		all := m.target
		m.target = m.one
		m.open(t, "steady, and all but the first only follow,", *rate, *seconds)
		m.target = all
	}
	waiting := m.waiting(t)
	t.Logf("sinks that lack changes at its end: %v; all taken %.1f s later", waiting, m.drained(t).Seconds())
}

// highest raises the rate by tenths while 99 of 100 answers come within 40 ms, at the
// first try or at the second: what else the machine does may cost one.
func (m *measure) highest(t *testing.T) {
	if *most == 0 {
		return
	}
	best, tries := 0., 0
	for rate := *most; tries < 2; {
		r := m.open(t, "step", rate, max(1, *seconds/3))
		tries++
		if r.Failed == 0 && r.P99 <= 40*time.Millisecond {
			best, rate, tries = rate, rate*1.1, 0
		}
	}
	t.Logf("highest rate with p99 <= 40 ms: %.0f/s", best)
	m.drained(t)
}

// clients is how many send copies of one article at one moment.
const clients = 16

// oneMoment sends copies of one article at one moment, again and
// again, and counts the docIds beyond the first that they got.
func (m *measure) oneMoment(t *testing.T) (doubled int) {
	first, apart := 3*((m.next+3002)/3+10_000), 0
	start := time.Now()
	for g := range *groups {
		var ids [clients]string
		var errs [clients]error
		ready := make(chan struct{})
		var group sync.WaitGroup
		for c := range clients {
			a := m.made.Copy(first+3*g, c)
			group.Go(func() {
				<-ready
				ids[c], errs[c] = m.target.Submit(t.Context(), c, a)
			})
		}
		close(ready)
		group.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		slices.Sort(ids[:])
		if n := len(slices.Compact(ids[:])); n > 1 {
			doubled, apart = doubled+n-1, apart+1
		}
	}
	m.sizes(t, m.next+*groups*clients)
	t.Logf("%d times %d copies at one moment, %.1f s: %d docIds doubled, in %d of the times", *groups, clients, time.Since(start).Seconds(), doubled, apart)
	return doubled
}

// digest is that of the log of the index.
func (r *rig) digest(ctx context.Context, t *testing.T) string {
	log, err := redislog.Open(ctx, "redis://"+r.redis.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	store, err := pebble.Open(ctx, filepath.Join(r.dir, "production-1", "store"), pebble.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := standard.Open(ctx, store, "default")
	if err != nil {
		t.Fatal(err)
	}
	st, err := d.Index().Catalog().Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := d.LogDigest(ctx, st.Seq)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// loseAndRebuild throws Redis and the folders away and makes both again with the command.
func (r *rig) loseAndRebuild(t *testing.T, s *subject, articles int) {
	lost := []string{r.redis.Dir + "/appendonlydir"}
	for _, one := range s.servers {
		if out, err := one.Stop(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lost = append(lost, one.folder)
	}
	want := r.digest(t.Context(), t)
	r.redis.Kill()
	for _, folder := range lost {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	r.redis.Start(t)
	flags, env := r.addresses()
	var out string
	var spent time.Duration
	start := time.Now()
	rebuild := &subject{processes: append(r.behind(), process{"rebuild", func() time.Duration { return spent }})}
	cpu := rebuild.measured(func() int {
		var err error
		out, spent, err = run(t.Context(), env, r.bin, append([]string{"rebuild", "--drained", "--data", filepath.Join(r.dir, "production-1")}, flags...)...)
		if err != nil {
			t.Fatalf("rebuild: %v: %s", err, out)
		}
		return articles
	})
	t.Logf("rebuild: %.1f s, %.0f articles/s; %s; load %s\n%s", time.Since(start).Seconds(), float64(articles)/time.Since(start).Seconds(), cpu, loadAverage(), out)
	if !strings.Contains(out, want) {
		t.Errorf("the digest that was lost is %s", want)
	}
}
