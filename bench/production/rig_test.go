// Package production_test measures the docId service over real servers, all of them and
// the generator on this machine: servers over one log in Redis (fsync always), by
// themselves and with MariaDB and HBase behind them, beside it the embedded store and the plain
// layout of the classic article. Each is filled, holds a rate, is pushed to its highest,
// and is sent near-identical articles at one moment; then log and folders are lost
// and made again.
//
//	go test ./production -v -timeout 3h -loaded 1000000 -rate 1500 -seconds 15 -most 900
//
// Without flags it runs in small, to show that it works; figures mean nothing then.
package production_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/store/pebble"
)

const seal = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// process is one of those that share the machine.
type process struct {
	name string
	cpu  func() time.Duration
}

// own is the generator: this process.
func own() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of itself it never fails
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// subject is a service that is measured, with the processes that work for it.
type subject struct {
	name      string
	target    *load.Target
	one       *load.Target // the first server, alone
	processes []process
	servers   []server
	log       string // address of the Redis with the log; "" where there is none
	first     int    // articles that its servers began with
}

// server is one of a subject, with the address of its metrics.
type server struct {
	*harness.Process
	folder, metrics string
}

// sample is what /metrics says, by the whole name with its labels.
func (s *server) sample(t *testing.T) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	resp, err := http.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "} ")
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			all[name+"}"] = v
		}
	}
	return all
}

// waiting is how many changes each sink has yet to take.
func (s *subject) waiting(t *testing.T) map[string]int {
	lag := map[string]int{}
	for _, one := range s.servers {
		for name, v := range one.sample(t) {
			if labels, ok := strings.CutPrefix(name, "neardup_sink_lag{"); ok {
				_, sink, _ := strings.Cut(labels, `sink="`)
				sink, _, _ = strings.Cut(sink, `"`)
				lag[sink] = max(lag[sink], int(v))
			}
		}
	}
	return lag
}

// drained waits until no sink lacks anything, and returns how long that took.
func (s *subject) drained(t *testing.T) time.Duration {
	start := time.Now()
	for {
		most := 0
		for _, n := range s.waiting(t) {
			most = max(most, n)
		}
		if most == 0 {
			return time.Since(start)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// rig is the servers of a run.
type rig struct {
	dir, bin string
	loaded   string // folder that the log and the embedded store begin with; "" where it is none
	redis    *services.Server
	maria    *services.Server
	hbase    services.HBase
	gateways []*services.Server
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{dir: t.TempDir()}
	r.bin = *binary
	if r.bin == "" {
		var err error
		r.bin, err = harness.Build(t.Context(), filepath.Join("..", ".."), r.dir)
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// addresses are the flags and the environment of a server with sinks, or of rebuild.
func (r *rig) addresses() (flags, env []string) {
	var gates []string
	for _, g := range r.gateways {
		gates = append(gates, g.Addr)
	}
	return []string{"--log", "redis://" + r.redis.Addr, "--articles", "hbase+http://" + strings.Join(gates, ",")},
		append(os.Environ(), "NEARDUP_MAP=mysql://root@"+r.maria.Addr+"/neardup", "NEARDUP_SEAL="+seal)
}

// serve starts so many servers with flags; none: over the embedded store.
func (r *rig) serve(t *testing.T, name string, count int, flags, env []string) *subject {
	t.Helper()
	s := &subject{name: name}
	var targets []*load.Target
	for n := range count {
		one := server{folder: filepath.Join(r.dir, name+"-"+strconv.Itoa(n+1)), metrics: services.FreeAddr(t)}
		p, err := harness.StartIn(env, r.bin, one.folder, append([]string{"--metrics-addr", one.metrics, "--limit", "rate=100000 burst=200000"}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		url, err := p.Ready(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		token, err := p.Token()
		if err != nil {
			t.Fatal(err)
		}
		one.Process = p
		s.servers = append(s.servers, one)
		if n < *asked || *asked == 0 {
			targets = append(targets, load.NewTarget(url, token, *workers))
		}
		s.processes = append(s.processes, process{"neardup " + strconv.Itoa(n+1), func() time.Duration { return services.CPU(p.PID()) }})
	}
	s.one, s.target = targets[0], targets[0].Beside(targets[1:]...)
	return s
}

// load makes the folder that others begin with.
func (r *rig) load(t *testing.T) {
	if *loaded == 0 {
		return
	}
	s, start := r.embedded(t), time.Now()
	if err := s.target.Fill(t.Context(), load.NewArticles(), 0, *loaded, 16); err != nil {
		t.Fatal(err)
	}
	s.sizes(t, *loaded)
	if out, err := s.servers[0].Stop(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("loaded %d articles in %.1f s", *loaded, time.Since(start).Seconds())
	r.loaded = filepath.Join(r.dir, "loaded")
	if err := os.Rename(s.servers[0].folder, r.loaded); err != nil {
		t.Fatal(err)
	}
}

// do runs a command of the program.
func (r *rig) do(t *testing.T, args ...string) {
	t.Helper()
	if out, _, err := run(t.Context(), os.Environ(), r.bin, args...); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// begin gives servers over a log, and one that comes late, what was loaded, and makes a snapshot of it.
func (r *rig) begin(t *testing.T, log string) {
	t.Helper()
	folder := func(name string) string { return filepath.Join(r.dir, name) }
	r.do(t, "backup", "--data", r.loaded, folder("log-1"))
	r.do(t, "log", "adopt", "--data", folder("log-1"), "--log", log)
	for n := 2; n <= *servers; n++ {
		r.do(t, "backup", "--data", folder("log-1"), folder("log-"+strconv.Itoa(n)))
	}
	r.do(t, "backup", "--data", folder("log-1"), folder("newcomer-1"))
	r.do(t, "backup", "--data", folder("log-1"), folder("snapshot"))
	move := func(dir string) error { return os.Rename(filepath.Join(folder("snapshot"), "store"), dir) }
	if err := pebble.SnapshotFolder(folder("snapshots")).Save(t.Context(), 1, 1, move); err != nil {
		t.Fatal(err)
	}
}

// log starts servers over a log, without sinks.
func (r *rig) log(t *testing.T) *subject {
	redis := services.Redis(t, strings.Fields(*redisArgs)...)
	if r.loaded != "" {
		r.begin(t, "redis://"+redis.Addr)
	} else {
		r.do(t, "log", "begin", "--log", "redis://"+redis.Addr)
	}
	s := r.serve(t, "log", *servers, []string{"--log", "redis://" + redis.Addr}, os.Environ())
	s.processes, s.log, s.first = append(s.processes, process{"Redis", redis.CPU}), redis.Addr, *loaded
	return s
}

// newcomer starts a server that has nothing of the log, all of which it reads before it is ready; stopped, it is proven by the log.
func (r *rig) newcomer(t *testing.T, s *subject, articles int) {
	start := time.Now()
	late := r.serve(t, "newcomer", 1, []string{"--log", "redis://" + s.log}, os.Environ())
	each := late.processes[0].cpu().Microseconds() / int64(articles)
	t.Logf("a new server: %d articles in %.1f s, %.0f/s; CPU us each: %d", articles, time.Since(start).Seconds(), float64(articles)/time.Since(start).Seconds(), each)
	if out, err := late.servers[0].Stop(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !*prove {
		return
	}
	start = time.Now()
	args := []string{"check", "--data", late.servers[0].folder, "--log", "redis://" + s.log}
	if r.loaded != "" {
		args = append(args, "--snapshots", filepath.Join(r.dir, "snapshots"))
	}
	out, spent, err := run(t.Context(), os.Environ(), r.bin, args...)
	if err != nil {
		t.Errorf("check: %v", err)
	}
	t.Logf("neardup check --log: %.1f s, CPU us each: %d\n%s", time.Since(start).Seconds(), spent.Microseconds()/int64(articles+s.first), out)
}

func (r *rig) production(t *testing.T) *subject {
	r.redis = services.Redis(t, strings.Fields(*redisArgs)...)
	r.do(t, "log", "begin", "--log", "redis://"+r.redis.Addr)
	r.maria = services.MariaDB(t)
	r.hbase = services.StartHBase(t, strings.Fields(*java)...)
	r.gateways = []*services.Server{r.hbase.Gateway}
	for len(r.gateways) < *gateways {
		r.gateways = append(r.gateways, r.hbase.AddGateway(t))
	}
	flags, env := r.addresses()
	s := r.serve(t, "production", *servers, flags, env)
	s.processes, s.log = append(s.processes, r.behind()...), r.redis.Addr
	return s
}

// behind are the processes below neardup.
func (r *rig) behind() []process {
	all := []process{{"Redis", r.redis.CPU}, {"MariaDB", r.maria.CPU}, {"HBase", r.hbase.CPU}}
	for i, g := range r.gateways {
		all = append(all, process{"gateway " + strconv.Itoa(i+1), g.CPU})
	}
	return all
}

// embedded starts a server alone.
func (r *rig) embedded(t *testing.T) *subject {
	first := 0
	if r.loaded != "" {
		first = *loaded
		r.do(t, "backup", "--data", r.loaded, filepath.Join(r.dir, "embedded-1"))
	}
	s := r.serve(t, "embedded", 1, nil, os.Environ())
	s.first = first
	return s
}

// classic starts the classic system over a Redis of its own.
func (r *rig) classic(t *testing.T) *subject {
	redis := services.Redis(t)
	s := r.serve(t, "classic", 1, []string{"--profile", "classic", "--index", "redis://" + redis.Addr}, os.Environ())
	s.processes = append(s.processes, process{"Redis", redis.CPU})
	return s
}

// measured does a piece of work and says what each process spent on it, in
// microseconds a request. What runs besides counts too.
func (s *subject) measured(work func() int) string {
	all := append([]process{{"generator", own}}, s.processes...)
	var before []time.Duration
	for _, p := range all {
		before = append(before, p.cpu())
	}
	n := work()
	var parts []string
	var sum float64
	for i, p := range all {
		each := float64((p.cpu() - before[i]).Microseconds()) / float64(max(n, 1))
		sum += each
		parts = append(parts, fmt.Sprintf("%s %.0f", p.name, each))
	}
	return fmt.Sprintf("CPU us each: %.0f = %s", sum, strings.Join(parts, ", "))
}

// sizes says what an article takes: entries and bytes of the log, and of each server's
// folder and memory.
func (s *subject) sizes(t *testing.T, articles int) {
	t.Helper()
	var parts []string
	each := func(what string, bytes float64) {
		parts = append(parts, fmt.Sprintf("%s %.0f B", what, bytes/float64(articles)))
	}
	if s.log != "" {
		var entries int
		if _, err := fmt.Sscanf(services.Ask(s.log, "XLEN", "neardup:log"), ":%d", &entries); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("of the %d that came by the log: %.3f entries", articles-s.first, float64(entries)/float64(articles-s.first)))
		parts = append(parts, fmt.Sprintf("memory of Redis %.0f B", number(services.Ask(s.log, "INFO", "memory"), "used_memory:")/float64(articles-s.first)))
	}
	for _, one := range s.servers {
		var folder float64
		if err := filepath.WalkDir(one.folder, func(_ string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // a file that went while the store is open
			}
			if info, err := d.Info(); err == nil {
				folder += float64(info.Size())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", one.PID()))
		if err != nil {
			t.Fatal(err)
		}
		each("folder", folder)
		each("resident", 1024*number(string(status), "VmRSS:"))
	}
	t.Logf("each of %d articles: %s", articles, strings.Join(parts, ", "))
}

// number is the one that follows a name.
func number(text, name string) float64 {
	_, rest, _ := strings.Cut(text, name)
	var n float64
	_, _ = fmt.Sscan(rest, &n) // not there: 0
	return n
}

// loadAverage says how busy the machine was in the last minute, by all who use it.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Fields(string(b))[0]
}

// run runs a command and returns what it printed, and its own time of the processor.
func run(ctx context.Context, env []string, bin string, args ...string) (string, time.Duration, error) {
	c := exec.CommandContext(ctx, bin, args...)
	c.Env = env
	out, err := c.CombinedOutput()
	return string(out), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}
