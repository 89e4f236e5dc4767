// Package tier_test lets two or three real servers of neardup decide over a log in a real
// Redis, MariaDB and HBase while everything between and below them fails, and holds them
// to every answer that they gave.
package tier_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/internal/test/services"
)

const (
	clients = 12
	groups  = 60
	seal    = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	// patience is how long a server may take to decide again once nothing fails
	// any more.
	patience = 90 * time.Second
)

// build builds the command with a clock that NEARDUP_CLOCK sets back.
func build(t *testing.T) string {
	t.Helper()
	dir, module := t.TempDir(), filepath.Join("..", "..", "..")
	path, err := filepath.Abs(filepath.Join(module, "docid", "cascade.go"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(source), "return time.Now()", `
		back, _ := time.ParseDuration(os.Getenv("NEARDUP_CLOCK"))
		return time.Now().Add(-back)`, 1)
	wrong = strings.Replace(wrong, "import (", "import (\n\t\"os\"", 1)
	if strings.Count(wrong, "NEARDUP_CLOCK") != 1 {
		t.Fatal("docid/cascade.go has its clock elsewhere now")
	}
	overlay := filepath.Join(dir, "overlay.json")
	for name, content := range map[string]string{
		overlay:                          fmt.Sprintf(`{"Replace":{%q:%q}}`, path, filepath.Join(dir, "cascade.go")),
		filepath.Join(dir, "cascade.go"): wrong,
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := harness.Build(t.Context(), module, dir, "-overlay", overlay)
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// backends are what the lives of a run share.
type backends struct {
	bin      string
	maria    *services.Server
	hbase    services.HBase
	second   *services.Server // of its regions
	gateways []*services.Server
}

func startBackends(t *testing.T) *backends {
	t.Helper()
	b := &backends{}
	var starting sync.WaitGroup // an error ends the test in its own goroutine only
	starting.Go(func() { b.bin = build(t) })
	starting.Go(func() { b.maria = services.MariaDB(t) })
	starting.Go(func() {
		b.hbase = services.StartHBase(t)
		var more sync.WaitGroup
		more.Go(func() { b.second = b.hbase.AddRegionServer(t) })
		b.gateways = []*services.Server{b.hbase.Gateway, b.hbase.AddGateway(t)}
		more.Wait()
	})
	starting.Wait()
	if b.bin == "" || b.maria == nil || len(b.gateways) != 2 || b.second == nil {
		t.FailNow()
	}
	return b
}

// life is one index with its servers and clients, from the first start to the audit.
type life struct {
	*backends
	t       *testing.T
	name    string
	r       *rand.Rand
	kinds   []fault
	primary *services.Server // Redis, which has the log
	redis   []*proxy         // of each server
	mysql   *proxy
	gates   []*proxy // of each gateway
	front   []*proxy // before each server
	servers []*server
	begun   bool // the log, with a folder

	journalPath string
	journal     *harness.Journal
	clients     []*harness.Client
	prober      *harness.Client
	http        *http.Client
	stop        context.CancelFunc
	working     sync.WaitGroup
	returning   sync.WaitGroup // a gateway that was killed
}

// server is one process of neardup and how it is reached.
type server struct {
	mu      sync.RWMutex
	process *harness.Process
	service *harness.Service // nil while it is not there
	data    string
	flags   []string
}

func (s *server) reach() *harness.Service {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.service
}

func newLife(t *testing.T, b *backends, name string, seed uint64) *life {
	t.Helper()
	dir := t.TempDir()
	l := &life{
		backends: b, t: t, name: name, r: rand.New(&locked{source: rand.NewPCG(seed, 9)}),
		journalPath: filepath.Join(dir, "journal"),
	}
	l.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 10 * time.Second}
	l.stores(3)
	l.database()
	for n := range 3 {
		l.servers = append(l.servers, &server{data: filepath.Join(dir, fmt.Sprint("server", n)), flags: l.flags(n)})
		l.front = append(l.front, newProxy(t, "127.0.0.1:1"))
	}
	t.Cleanup(func() {
		for _, s := range l.servers {
			if s.process != nil {
				s.process.Kill()
			}
		}
	})
	l.start(l.servers[0])
	var starting sync.WaitGroup
	for _, s := range l.servers[1:] {
		starting.Go(func() { l.start(s) })
	}
	starting.Wait()
	var err error
	l.journal, err = harness.NewJournal(l.journalPath)
	if err != nil {
		t.Fatal(err)
	}
	for n := range clients {
		l.clients = append(l.clients, harness.NewClient(n, seed, groups, l.journal))
	}
	l.prober = harness.NewClient(clients, seed, groups, l.journal)
	return l
}

// stores starts Redis, and the ways to all stores.
func (l *life) stores(servers int) {
	l.primary = services.Redis(l.t)
	if err := harness.BeginLog(l.t.Context(), l.bin, "redis://"+l.primary.Addr); err != nil {
		l.t.Fatal(err)
	}
	for range servers {
		l.redis = append(l.redis, newProxy(l.t, l.primary.Addr))
	}
	l.mysql = newProxy(l.t, l.maria.Addr)
	for _, g := range l.gateways {
		l.gates = append(l.gates, newProxy(l.t, g.Addr))
	}
}

func (l *life) flags(n int) []string {
	return []string{
		"--log", "redis://" + l.redis[n].addr, "--map", "mysql://root:@" + l.mysql.addr + "/" + l.name,
		"--articles", "hbase+http://" + l.gates[0].addr + "," + l.gates[1].addr + "/" + l.name, "--log-level", "warn", "--host", "*",
	}
}

// environment of a server, with a clock that goes so much behind.
func environment(back time.Duration) []string {
	return append(os.Environ(), "NEARDUP_SEAL="+seal, "NEARDUP_CLOCK="+back.String())
}

// start starts a server and waits until it decides; as systemd does, it is
// started again where it ends because something is away.
func (l *life) start(s *server, back ...time.Duration) {
	l.t.Helper()
	var clock time.Duration
	for _, b := range back {
		clock = b
	}
	var failed error
	for end := time.Now().Add(patience); time.Now().Before(end) && l.t.Context().Err() == nil; time.Sleep(100 * time.Millisecond) {
		p := l.launch(s, clock)
		ctx, cancel := context.WithTimeout(l.t.Context(), patience)
		url, err := p.Ready(ctx)
		cancel()
		if err == nil {
			var token string
			token, err = p.Token()
			if err == nil {
				l.reached(s, p, url, token)
				return
			}
		}
		p.Kill()
		failed = err
	}
	l.t.Errorf("%s does not start: %v", s.data, failed)
}

// launch starts a server and does not wait.
func (l *life) launch(s *server, back time.Duration) *harness.Process {
	l.t.Helper()
	p, err := harness.StartIn(environment(back), l.bin, s.data, s.flags...)
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

func (l *life) reached(s *server, p *harness.Process, url, token string) {
	for n, other := range l.servers {
		if other == s {
			l.front[n].target.Store(strings.TrimPrefix(url, "http://"))
			url = "http://" + l.front[n].addr
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process, s.service = p, &harness.Service{URL: url, Token: token, HTTP: l.http}
}

// locked is a source of random numbers for two faults at once.
type locked struct {
	mu     sync.Mutex
	source rand.Source
}

func (s *locked) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Uint64()
}

// work lets the clients send, to any server, until rest.
func (l *life) work() {
	ctx, stop := context.WithCancel(l.t.Context())
	l.stop = stop
	for n, c := range l.clients {
		r := rand.New(rand.NewPCG(uint64(n), l.r.Uint64()))
		l.working.Go(func() {
			for ctx.Err() == nil {
				if s := l.servers[r.IntN(len(l.servers))].reach(); s != nil {
					if err := c.Run(ctx, s); err != nil && ctx.Err() == nil {
						l.t.Errorf("%s: %v", l.name, err)
						return
					}
				}
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			}
		})
	}
}

// rest has the clients stop.
func (l *life) rest() {
	l.stop()
	l.working.Wait()
	l.http.CloseIdleConnections()
}

// healed waits until every server decides again.
func (l *life) healed(after string) {
	l.t.Helper()
	begin := time.Now()
	for n, s := range l.servers {
		for {
			ctx, cancel := context.WithTimeout(l.t.Context(), 5*time.Second)
			err := l.prober.Once(ctx, s.reach())
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, harness.ErrUnknown) {
				l.t.Fatalf("%s: after %s: %v", l.name, after, err)
			}
			if time.Since(begin) > patience {
				l.t.Fatalf("%s: server %d does not decide %s after %s: %v", l.name, n, patience, after, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}
