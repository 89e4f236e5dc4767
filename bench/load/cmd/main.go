// Command cmd measures the docId service under load on this machine. It builds the real binary, starts it on loopback with
// its own folder, loads articles, and sends further ones in an open loop. See docs/reliability.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/internal/test/services"
)

type options struct {
	dir, module string
	steps       string
	articles    int
	rate, most  float64
	seconds     int
	workers     int
	only        string
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder for the data, kept; empty: a temporary one")
	flag.StringVar(&o.steps, "steps", "fill,restart,steady,flood,saturate", "what to measure, in order (also kinds: floods of each kind; crowd: how rare 422 is); without fill the folder has the articles already")
	flag.StringVar(&o.module, "module", "..", "folder of the product's module")
	flag.IntVar(&o.articles, "articles", 1_000_000, "articles to load first; without fill, a number above all that the folder has seen")
	flag.Float64Var(&o.rate, "rate", 1500, "requests a second of the steady run")
	flag.Float64Var(&o.most, "most", 6000, "requests a second offered to find saturation")
	flag.IntVar(&o.seconds, "seconds", 30, "length of each run")
	flag.IntVar(&o.workers, "workers", 128, "requests open at one moment")
	flag.StringVar(&o.only, "only", "", "of kinds, those whose names contain this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "neardup-load")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	bin, err := harness.Build(ctx, o.module, o.dir)
	if err != nil {
		return err
	}
	m := &measure{options: o, bin: bin, articles: load.NewArticles(), next: o.articles}
	steps := map[string]func(context.Context) error{
		"fill": m.fill, "restart": m.restart, "steady": m.steady, "flood": m.flood, "kinds": m.kinds, "crowd": m.crowd, "saturate": m.saturate,
	}
	for name := range strings.SplitSeq(o.steps, ",") {
		step, ok := steps[name]
		if !ok {
			return fmt.Errorf("no step %q", name)
		}
		if err := step(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// measure is a run of the command. next is the number of the next article.
type measure struct {
	options
	bin      string
	articles *load.Articles
	next     int
}

// with starts the service, calls work, and stops the service.
func (m *measure) with(ctx context.Context, work func(*load.Target, *harness.Process) error) error {
	p, err := harness.Start(m.bin, filepath.Join(m.dir, "data"), "--limit", "rate=100000 burst=200000")
	if err != nil {
		return err
	}
	defer p.Kill()
	url, err := p.Ready(ctx)
	if err != nil {
		return err
	}
	token, err := p.Token()
	if err != nil {
		return err
	}
	if err := work(load.NewTarget(url, token, m.workers), p); err != nil {
		return err
	}
	_, err = p.Stop()
	return err
}

func (m *measure) fill(ctx context.Context) error {
	return m.with(ctx, func(t *load.Target, p *harness.Process) error {
		begin := time.Now()
		if err := t.Fill(ctx, m.articles, 0, m.options.articles, 32); err != nil {
			return err
		}
		took := time.Since(begin)
		fmt.Printf("load: %d articles in %s, %.0f/s by the batch route\n", m.next, took.Round(time.Second), float64(m.next)/took.Seconds())
		return nil
	})
}

// restart starts on the full folder twice: after a clean stop, and after kill -9.
func (m *measure) restart(ctx context.Context) error {
	for _, kill := range []bool{true, false} {
		begin := time.Now()
		err := m.with(ctx, func(_ *load.Target, p *harness.Process) error {
			took := time.Since(begin)
			bytes, err := size(filepath.Join(m.dir, "data"))
			fmt.Printf("restart: %.2f s, resident %.0f B an article, disk %.0f B an article\n",
				took.Seconds(), float64(resident(p.PID()))/float64(m.next), float64(bytes)/float64(m.next))
			if kill {
				p.Kill()
			}
			return err
		})
		if err != nil && !kill {
			return err
		}
	}
	return nil
}

func (m *measure) steady(ctx context.Context) error {
	return m.with(ctx, func(t *load.Target, p *harness.Process) error {
		m.open(ctx, t, "warm-up", m.rate, 5)
		m.open(ctx, t, "steady", m.rate, m.seconds)
		fmt.Printf("resident %.0f MB, CPU %.1f s\n", float64(resident(p.PID()))/1e6, services.CPU(p.PID()).Seconds())
		return nil
	})
}

// flood measures an honest client alone, and while another client sends articles that all share keys.
func (m *measure) flood(ctx context.Context) error {
	return m.with(ctx, func(t *load.Target, _ *harness.Process) error {
		rate := m.rate / 5
		m.open(ctx, t, "honest client alone", rate, m.seconds/2)
		first := (m.next/load.CrowdSize + 1) * load.CrowdSize
		var other sync.WaitGroup
		other.Go(func() {
			r := t.Open(ctx, load.Submit(m.articles.Crowd), first, rate, time.Duration(m.seconds)*time.Second, m.workers/2)
			fmt.Printf("the flood: %s\n", r)
		})
		time.Sleep(time.Duration(m.seconds/4) * time.Second)
		m.open(ctx, t, "honest client in the flood", rate, m.seconds/2)
		other.Wait()
		return nil
	})
}

// crowd measures how often an article is refused because its bucket is too hot. After many articles of one template, it
// sends honest articles on the same topic, and copies of existing articles.
func (m *measure) crowd(ctx context.Context) error {
	return m.with(ctx, func(t *load.Target, _ *harness.Process) error {
		const template, honest = 12_600, 1_000
		fmt.Printf("%d of one template, by status: %v\n", template, t.Statuses(ctx, load.Submit(m.articles.Crowd), 0, template, 16))
		fmt.Printf("%d honest of the same topic: %v\n", honest, t.Statuses(ctx, load.Submit(m.articles.Topic), 0, honest, 4))
		copied := func(n int) load.Article { return load.Copy(m.articles.Crowd(n*template/honest), n) }
		fmt.Printf("%d copies of what is there: %v\n", honest, t.Statuses(ctx, load.Submit(copied), 0, honest, 4))
		return nil
	})
}

// rounds is the number of times that an honest client is measured alone and during each flood, alternately. The table has
// the medians.
const rounds = 3

// kinds measures an honest client alone and during the floods of another client, one kind of flood after the other. Each
// flood uses the index that the previous one left, and is compared with the honest client alone just before it. It also
// measures the cost of a request of the flood. At the end it prints a table.
func (m *measure) kinds(ctx context.Context) error {
	return m.with(ctx, func(t *load.Target, p *harness.Process) error {
		const rate = 100
		honest := t.From("127.0.0.1")
		var table strings.Builder
		for i, kind := range m.articles.Floods() {
			if !strings.Contains(kind.Name, m.only) {
				continue
			}
			first := (m.next/load.CrowdSize + 1 + 1000*i) * load.CrowdSize
			other := t.From("127.0.0.2")
			if kind.Token {
				other.Token = t.Token
			}
			begin := services.CPU(p.PID())
			alone := other.Open(ctx, kind.Request, first, kind.Rate, time.Duration(m.seconds/4)*time.Second, 64)
			cost := (services.CPU(p.PID()) - begin).Seconds() * 1000 / float64(alone.Sent)
			fmt.Printf("%s alone: %.1f ms of CPU each, %s\n", kind.Name, cost, alone)
			first += alone.Sent - alone.Sent%10 + 10
			var sent, failed int
			figures := make([][]float64, 5)
			for range rounds {
				flood := other.Prepare(kind.Request, first, kind.Rate, time.Duration(m.seconds*3/4)*time.Second)
				before := m.open(ctx, honest, "honest client alone", rate, m.seconds/2)
				var flooding sync.WaitGroup
				var r load.Result
				flooding.Go(func() { r = flood.Run(ctx, 64) })
				time.Sleep(time.Duration(m.seconds/4) * time.Second)
				during := m.open(ctx, honest, "honest client next to "+kind.Name, rate, m.seconds/2)
				flooding.Wait()
				fmt.Printf("%s: %s\n", kind.Name, r)
				sent, failed, first = sent+r.Sent, failed+r.Failed, first+r.Sent-r.Sent%10+10
				for n, d := range []time.Duration{before.P50, before.P99, during.P50, during.P99} {
					figures[n] = append(figures[n], float64(d.Microseconds())/1000)
				}
				figures[4] = append(figures[4], float64(during.P99)/float64(before.P99))
			}
			for _, of := range figures {
				slices.Sort(of)
			}
			at := func(n int) float64 { return figures[n][rounds/2] }
			fmt.Fprintf(&table, "| %s, %.0f/s | %.1f | %d of %d | %.1f, %.1f | %.1f, %.1f | %.1f |\n",
				kind.Name, kind.Rate, cost, sent-failed, sent, at(0), at(1), at(2), at(3), at(4))
		}
		fmt.Printf("| flood | CPU ms each | answered | honest alone p50, p99 ms | during p50, p99 ms | p99 ratio |\n|---|---|---|---|---|---|\n%s", &table)
		return nil
	})
}

func (m *measure) saturate(ctx context.Context) error {
	return m.with(ctx, func(t *load.Target, p *harness.Process) error {
		before := services.CPU(p.PID())
		r := m.open(ctx, t, "saturation", m.most, m.seconds/2)
		fmt.Printf("CPU of the service %.0f us a request\n", float64((services.CPU(p.PID())-before).Microseconds())/float64(r.Sent))
		return nil
	})
}

func (m *measure) open(ctx context.Context, t *load.Target, name string, rate float64, seconds int) load.Result {
	r := t.Open(ctx, load.Submit(m.articles.Make), m.next, rate, time.Duration(seconds)*time.Second, m.workers)
	m.next += r.Sent
	fmt.Printf("%s at %.0f/s: %s\n", name, rate, r)
	return r
}

// size adds up the files below a folder.
func size(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

// resident returns the resident set of a process in bytes, or 0 if /proc is missing.
func resident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseInt(kb, 10, 64)
	if err != nil {
		return 0
	}
	return n * 1024
}
