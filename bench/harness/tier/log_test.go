package tier_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/derived"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sharers are three servers over one log, each with a folder of its own.
type sharers struct {
	*testing.T
	bin     string
	r       *rand.Rand
	servers []*server
	http    *http.Client
	disk    string // the last server has one to itself; empty where the system allows none to be mounted
}

func startSharers(t *testing.T, seed uint64, log string, flags ...string) *sharers {
	t.Helper()
	s := &sharers{T: t, bin: build(t), r: rand.New(rand.NewPCG(seed, 3))}
	s.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 10 * time.Second}
	if err := harness.BeginLog(t.Context(), s.bin, log); err != nil {
		t.Fatal(err)
	}
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	if err := syscall.Mount("none", dirs[2], "tmpfs", 0, "size=512m"); err == nil {
		s.disk = dirs[2]
	}
	for n, dir := range dirs {
		s.servers = append(s.servers, &server{data: filepath.Join(dir, fmt.Sprint("server", n)), flags: append(slices.Clone(flags),
			"--log", log, "--log-level", "warn", "--method", "minhash", "--threshold", ".6", "--keep-keys", "72h", "--backups", t.TempDir(),
		)})
	}
	t.Cleanup(func() {
		for _, s := range s.servers {
			if s.process != nil {
				s.process.Kill()
			}
		}
		if s.disk != "" {
			_ = syscall.Unmount(s.disk, syscall.MNT_DETACH)
		}
	})
	for _, server := range s.servers {
		s.start(server, 0)
	}
	return s
}

// start starts a server, again where it ends because the log is away, with a clock that goes so much behind, and waits
// until it decides.
func (s *sharers) start(one *server, back time.Duration) {
	s.Helper()
	var failed error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		p, err := harness.StartIn(environment(back), s.bin, one.data, one.flags...)
		if err != nil {
			s.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(s.Context(), patience)
		url, err := p.Ready(ctx)
		cancel()
		if err == nil {
			var token string
			token, err = p.Token()
			if err == nil {
				one.mu.Lock()
				one.process, one.service = p, &harness.Service{URL: url, Token: token, HTTP: s.http}
				one.mu.Unlock()
				return
			}
		}
		p.Kill()
		failed = err
	}
	s.Fatalf("%s does not start: %v", one.data, failed)
}

func (s *sharers) any() *server { return s.servers[s.r.IntN(len(s.servers))] }

// TestLogSameMoment: of near copies that three servers get at one moment one is new.
func TestLogSameMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	s := startSharers(t, 1, "redis://"+services.Redis(t).Addr)
	const copies = 16
	for n := range pairs() {
		answers, failed := make([]harness.Answer, copies), make([]error, copies)
		var all sync.WaitGroup
		start := make(chan bool)
		for i := range copies {
			words := make([]string, 120)
			for w := range words {
				words[w] = harness.Word(uint64(n*1000+w) * 2654435761 % 4294967291)
			}
			words[i*7] += " also"
			a := harness.Article{NID: fmt.Sprint(n, "-", i), Content: strings.Join(words, " ")}
			all.Go(func() {
				<-start
				answers[i], failed[i] = s.servers[i%3].service.Submit(t.Context(), a, "")
			})
		}
		close(start)
		all.Wait()
		news := 0
		for i, a := range answers {
			if failed[i] != nil {
				t.Fatalf("group %d: %v", n, failed[i])
			}
			if a.Decision == "new" {
				news++
			}
			if a.DocID != answers[0].DocID {
				t.Fatalf("group %d: docIds %s and %s", n, a.DocID, answers[0].DocID)
			}
		}
		if news != 1 {
			t.Fatalf("group %d: %d are new", n, news)
		}
	}
}

// logFault is something that fails and is mended again.
type logFault struct {
	name string
	do   func()
}

// TestLogFaults kills, stops, replaces and restores servers and the log while clients write to all servers, and
// holds them to every answer but those between a backup and its restore; at the end all folders follow from one log.
func TestLogFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	for n, tier := range []struct {
		name  string
		start func(t *testing.T, pause func(most int)) logTier
	}{{"Redis", loneRedis}, {"Sentinel", withSentinel}, {"Kafka", threeBrokers}} {
		t.Run(tier.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed(), uint64(n)))
			pause := func(most int) { time.Sleep(time.Duration(r.IntN(most)) * time.Millisecond) }
			logFaults(t, tier.start(t, pause), pause, n == 0 || !short())
		})
	}
}

// logTier is a log, its own faults, and how another program than a server writes to it.
type logTier struct {
	log    string
	faults []logFault
	write  func(entry string)
	copy   func(to func(dir string)) // stops the log, visits its folders and starts it; nil: it is never restored
}

// loneRedis is a log in one Redis.
func loneRedis(t *testing.T, pause func(int)) logTier {
	redis := services.Redis(t)
	write := func(entry string) { services.Ask(redis.Addr, "XADD", "neardup:log", "0-*", "e", entry) }
	return logTier{"redis://" + redis.Addr, []logFault{
		{"Redis is killed", func() { redis.Kill(); pause(1500); redis.Start(t) }},
		{"Redis hangs", func() { _ = redis.Pause(); pause(2500); _ = redis.Resume() }},
	}, write, func(to func(string)) { redis.Stop(); to(filepath.Join(redis.Dir, "appendonlydir")); redis.Start(t) }}
}

// withSentinel is a log in Valkey, with a replica that is waited for and a Sentinel that promotes it.
func withSentinel(t *testing.T, pause func(int)) logTier {
	primary, replicas := services.Replicated(t, 1)
	replica, link := replicas[0], newProxy(t, primary.Addr)
	sentinel := services.Sentinel(t, primary)
	services.Watched(t, sentinel, 1)
	services.Doubt(sentinel, time.Second/2)
	// mend waits until the other follows whom Sentinel has for the primary; it may be changing its mind.
	mend := func() {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			says := services.Ask(sentinel.Addr, "INFO", "sentinel")
			if strings.Contains(says, "address="+replica.Addr) {
				primary, replica = replica, primary
			}
			host, port, _ := net.SplitHostPort(primary.Addr)
			one, other := services.Ask(primary.Addr, "INFO", "replication"), services.Ask(replica.Addr, "INFO", "replication")
			switch {
			case time.Now().After(end):
				t.Fatalf("they do not come together: %s\n%s\n%s", says, one, other)
			case !strings.Contains(says, "status=ok,address="+primary.Addr) || !strings.Contains(one, "role:master"):
			case !strings.Contains(other, "master_port:"+port+"\r"):
				services.Ask(replica.Addr, "REPLICAOF", host, port)
			case strings.Contains(other, "master_link_status:up"):
				return
			}
		}
	}
	// promoted waits for that, if it comes: Sentinel does nothing where it has just done something.
	promoted := func() {
		for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if strings.Contains(services.Ask(sentinel.Addr, "INFO", "sentinel"), "address="+replica.Addr) {
				return
			}
		}
	}
	failover := func() {
		primary.Kill()
		promoted()
		primary.Start(t)
		mend()
	}
	write := func(entry string) { services.Ask(primary.Addr, "XADD", "neardup:log", "0-*", "e", entry) }
	return logTier{"redis://" + sentinel.Addr + "?master_set=nd&replicas=1", []logFault{
		{"the primary is killed", func() { primary.Kill(); pause(300); primary.Start(t); mend() }},
		{"a replica is promoted", failover},
		{"a replica that lags is promoted", func() {
			link.target.Store(primary.Addr)
			services.Follow(t, replica, link.addr)
			link.silent.Store(true)
			pause(400)
			primary.Kill()
			link.cut()
			link.silent.Store(false)
			failover()
		}},
		{"the primary hangs, and goes on when another is in its place", func() {
			_ = primary.Pause()
			promoted()
			_ = primary.Resume()
			pause(500)
			mend()
		}},
		{"the replica is killed", func() { replica.Kill(); pause(700); replica.Start(t); mend() }},
		{"the replica hangs", func() { _ = replica.Pause(); pause(2500); _ = replica.Resume() }},
		{"Sentinel is killed", func() { sentinel.Kill(); pause(300); sentinel.Start(t); mend() }},
	}, write, nil}
}

// threeBrokers is a log in Kafka, of whose three brokers two must have an entry.
func threeBrokers(t *testing.T, pause func(int)) logTier {
	brokers, next := services.Kafka(t, 3), 0
	any := func() *services.Server { next++; return brokers[next%3] }
	producer, err := kgo.NewClient(kgo.SeedBrokers(brokers[0].Addr, brokers[1].Addr, brokers[2].Addr), kgo.ProducerBatchMaxBytes(32<<20))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(producer.Close)
	write := func(entry string) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := producer.ProduceSync(ctx, &kgo.Record{Topic: "neardup-log", Value: []byte(entry)}).FirstErr(); err != nil {
			t.Errorf("write an entry: %v", err)
		}
	}
	return logTier{"kafka://" + brokers[0].Addr + "," + brokers[1].Addr + "," + brokers[2].Addr + "?replicas=2", []logFault{
		{"a broker is killed", func() { one := any(); one.Kill(); pause(2000); one.Start(t) }},
		{"a broker hangs", func() { one := any(); _ = one.Pause(); pause(5000); _ = one.Resume() }},
		{"a broker is stopped", func() { one := any(); one.Stop(); one.Start(t) }},
		{"all brokers are killed", func() {
			for _, one := range brokers {
				one.Kill()
			}
			services.StartTogether(t, brokers)
		}},
	}, write, func(to func(string)) {
		for _, one := range brokers {
			one.Stop()
			to(filepath.Join(one.Dir, "data"))
		}
		services.StartTogether(t, brokers)
	}}
}

// logFaults makes the faults of a log and, where all are wanted, those of servers; else of these one that comes together with a fault of the log.
func logFaults(t *testing.T, tier logTier, pause func(int), all bool) {
	log, ofLog := tier.log, tier.faults
	maria := "mysql://root:@" + services.MariaDB(t).Addr + "/neardup"
	snapshots := t.TempDir()
	s := startSharers(t, 2, log, "--map", maria, "--snapshots", snapshots, "--snapshot-every", "1m")
	path := filepath.Join(t.TempDir(), "journal")
	journal, err := harness.NewJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	stop := s.work(journal, tier.copy != nil)
	long, prober := harness.NewClient(clients+1, 2, groups, journal), harness.NewClient(clients, 2, groups, journal)
	long.Long, long.Lossy, prober.Lossy = true, tier.copy != nil, tier.copy != nil
	var lost []harness.Span
	faults := append(slices.Clone(ofLog), s.ownFaults(ofLog, pause)...)
	faults = append(faults, logFault{"entries that no server wrote", func() { s.strange(tier.write) }},
		logFault{"articles of 1 MB", func() { s.long(long) }})
	if tier.copy != nil {
		faults = append(faults, logFault{"the log, all folders and the snapshots come back from one backup", func() {
			lost = append(lost, s.restored(tier.copy, snapshots, journal, pause))
		}})
	}
	if !all {
		faults = faults[:len(ofLog)+1]
	}
	total := len(faults)
	if !short() {
		total = count()
	}
	for n := range total {
		if n%len(faults) == 0 {
			s.r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		}
		time.Sleep(200 * time.Millisecond)
		if f := faults[n%len(faults)]; !t.Failed() && strings.Contains(f.name, only()) {
			begin := time.Now()
			f.do()
			t.Logf("%s: %s", f.name, time.Since(begin).Round(time.Millisecond))
		}
	}
	s.decide(prober)
	stop()
	changes, records := s.ended(journal, path)
	outcome := harness.Audit(records, changes, lost...)
	s.audit(outcome)
	s.fed(maria, changes, outcome)
	s.same("check", "--log", log, "--snapshots", snapshots)
	t.Logf("%d faults, %d changes, %d requests; %d restores lost %d answers", total, len(changes), len(records), len(lost), outcome.Lost)
}

// restored copies the log, all folders and the snapshots, lets the clients write and puts the copies back. It returns
// when answers were given that this has lost.
func (s *sharers) restored(visit func(func(string)), snapshots string, journal *harness.Journal, pause func(int)) (lost harness.Span) {
	s.Helper()
	saved, back := s.TempDir(), false
	move := func() {
		for _, one := range s.servers {
			one.process.Kill()
		}
		n := 0
		one := func(dir string) {
			from, to := dir, filepath.Join(saved, fmt.Sprint(n))
			n++
			if back {
				from, to = to, from
			}
			if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from))); err != nil {
				s.Fatal(err)
			}
		}
		visit(one)
		one(snapshots)
		for _, server := range s.servers {
			one(server.data)
		}
	}
	start := func() {
		for _, one := range s.servers {
			s.start(one, 0)
		}
	}
	move()
	lost.From = journal.Now()
	start()
	pause(3000)
	back = true
	move()
	lost.To = journal.Now()
	start()
	if err := os.RemoveAll(saved); err != nil {
		s.Error(err)
	}
	return lost
}

// work has clients send to all servers until stop is called.
func (s *sharers) work(journal *harness.Journal, lossy bool) (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	var working sync.WaitGroup
	for n := range clients {
		c, r := harness.NewClient(n, 2, groups, journal), rand.New(rand.NewPCG(uint64(n), 4))
		c.Lossy = lossy
		working.Go(func() {
			for ctx.Err() == nil {
				if at := s.servers[r.IntN(len(s.servers))].reach(); at != nil {
					if err := c.Run(ctx, at); err != nil && ctx.Err() == nil {
						s.Error(err)
						return
					}
				}
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			}
		})
	}
	return func() {
		cancel()
		working.Wait()
	}
}

// decide waits until every server decides again.
func (s *sharers) decide(prober *harness.Client) {
	s.Helper()
	for _, one := range s.servers {
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			if err := prober.Once(s.Context(), one.reach()); err == nil {
				break
			} else if !errors.Is(err, harness.ErrUnknown) || time.Now().After(end) {
				s.Fatalf("%s does not decide again: %v", one.data, err)
			}
		}
	}
}

// ended closes the journal, and returns the changes that all servers agree on and the records of the clients.
func (s *sharers) ended(journal *harness.Journal, path string) ([]harness.Entry, []harness.Record) {
	s.Helper()
	if err := journal.Close(); err != nil {
		s.Fatal(err)
	}
	changes := s.agreed()
	records, err := harness.ReadJournal(path)
	if err != nil {
		s.Fatal(err)
	}
	return changes, records
}

// agreed returns the changes of all servers, which must become the same.
func (s *sharers) agreed() []harness.Entry {
	s.Helper()
	var logs [3][]harness.Entry
	for end := time.Now().Add(patience); ; time.Sleep(time.Second) { // what nobody waits for any more may come to the log yet
		for n, one := range s.servers {
			var err error
			logs[n], err = one.reach().Log(s.Context())
			if err != nil {
				s.Fatalf("log: %v", err)
			}
		}
		if reflect.DeepEqual(logs[1], logs[0]) && reflect.DeepEqual(logs[2], logs[0]) {
			return logs[0]
		}
		if time.Now().After(end) {
			s.Fatalf("the logs have %d, %d and %d changes, and are not the same", len(logs[0]), len(logs[1]), len(logs[2]))
		}
	}
}

// audit reports the first violations.
func (s *sharers) audit(o harness.Outcome) {
	s.Helper()
	for _, v := range o.Violations[:min(20, len(o.Violations))] {
		s.Error(v)
	}
}

// same stops all servers, checks their folders, one of them also by a command, and compares their digests.
func (s *sharers) same(check ...string) {
	s.Helper()
	digests := map[string]int{}
	for n, one := range s.servers {
		if out, err := one.process.Stop(); err != nil {
			s.Errorf("stop: %v\n%s", err, out)
		}
		if n == 0 || !short() {
			out, err := exec.CommandContext(s.Context(), s.bin, append(check, "--data", one.data)...).CombinedOutput()
			s.Logf("%s", out)
			if err != nil {
				s.Errorf("%s: %v", strings.Join(check, " "), err)
			}
		}
		folder := filepath.Join(one.data, "store")
		report, err := pebble.Check(s.Context(), folder, pebble.Options{})
		if err != nil || len(report.Problems) > 0 {
			s.Errorf("check: %v %v", report.Problems, err)
		}
		digest, err := derived.Digest(folder)
		if err != nil {
			s.Error(err)
		}
		digests[digest]++
	}
	if len(digests) != 1 {
		s.Errorf("the folders differ: %v", digests)
	}
}

// ownFaults are those of the servers and their machines, whatever the log; some come together with one of the log.
func (s *sharers) ownFaults(ofLog []logFault, pause func(int)) []logFault {
	t := s.T
	again := func(one *server) { s.start(one, 0) }
	hang := func(most int) { one := s.any(); _ = one.process.Pause(); pause(most); _ = one.process.Resume() }
	minute := 3000
	if !short() {
		minute = 60_000
	}
	clock := func(back time.Duration) {
		one := s.any()
		one.process.Kill()
		s.start(one, back)
		pause(500)
		one.process.Kill()
		again(one)
	}
	faults := []logFault{
		{"a server is killed while the log fails", func() { one := s.any(); one.process.Kill(); ofLog[s.r.IntN(len(ofLog))].do(); again(one) }},
		{"a server is killed", func() { one := s.any(); one.process.Kill(); pause(300); again(one) }},
		{"all servers are killed", func() {
			for _, one := range s.servers {
				one.process.Kill()
			}
			for _, one := range s.servers {
				again(one)
			}
		}},
		{"a server hangs", func() { hang(2500) }},
		{"a server hangs for a minute", func() { hang(minute) }},
		{"a server is stopped", func() {
			one := s.any()
			if out, err := one.process.Stop(); err != nil {
				t.Errorf("stop: %v\n%s", err, out)
			}
			pause(300)
			again(one)
		}},
		{"a server's clock is a day behind", func() { clock(24 * time.Hour) }},
		{"a server's clock is a day ahead", func() { clock(-24 * time.Hour) }},
		{"a server loses its folder", func() {
			one := s.any()
			one.process.Kill()
			if err := os.RemoveAll(one.data); err != nil {
				t.Error(err)
			}
			again(one)
		}},
		{"a server goes on with the copy of another's folder", func() { s.copied(func() {}) }},
		{"a server goes on with a copy that was made while the log failed", func() { s.copied(ofLog[s.r.IntN(len(ofLog))].do) }},
	}
	if s.disk != "" {
		faults = append(faults, logFault{"a server's disk is full", s.full})
	}
	return faults
}

// strange writes entries that no server understands: short, of an unknown version, random and long ones.
func (s *sharers) strange(write func(entry string)) {
	junk := make([]byte, 100+s.r.IntN(9<<20))
	for i := range junk {
		junk[i] = byte(s.r.Uint32())
	}
	for _, entry := range []string{"", "short", strings.Repeat("\xff", 17), string(junk[:100]), string(junk)} {
		write(entry)
	}
}

// long has a client send articles of 1 MB, each until it has an answer.
func (s *sharers) long(c *harness.Client) {
	for range 5 {
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			err := c.Once(s.Context(), s.any().reach())
			if err == nil {
				break
			} else if !errors.Is(err, harness.ErrUnknown) || time.Now().After(end) {
				s.Fatalf("an article of 1 MB: %v", err)
			}
		}
	}
}

// copied has a server go on with a copy of another's folder, which was made while something else was done.
func (s *sharers) copied(meanwhile func()) {
	from, to := s.servers[0], s.servers[1]
	name := fmt.Sprint("copy", time.Now().UnixNano())
	var both sync.WaitGroup
	var out []byte
	var err error
	both.Go(func() {
		out, err = exec.Command(s.bin, "backup", "--server", from.reach().URL, "--token-file", filepath.Join(from.data, "admin-token"), name).CombinedOutput()
	})
	meanwhile()
	both.Wait()
	if err != nil {
		s.Logf("backup: %v\n%s", err, out) // the log may be away still
		return
	}
	to.process.Kill()
	backup := filepath.Join(from.flags[len(from.flags)-1], name)
	if err := errors.Join(os.RemoveAll(to.data), os.CopyFS(to.data, os.DirFS(backup))); err != nil {
		s.Error(err)
	}
	s.start(to, 0)
}

// full leaves the last server no room on its disk for a while. It takes no more writes then, until it is started again.
func (s *sharers) full() {
	ballast := filepath.Join(s.disk, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		s.Fatal(err)
	}
	_, err = io.Copy(f, zeros{})
	_ = f.Close()
	if !errors.Is(err, syscall.ENOSPC) {
		s.Errorf("the disk is not full: %v", err)
	}
	time.Sleep(500 * time.Millisecond)
	one := s.servers[2]
	one.process.Kill()
	if err := os.Remove(ballast); err != nil {
		s.Error(err)
	}
	s.start(one, 0)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// fed waits until MySQL has the log, and holds it to that. It may also have what restores have lost.
func (s *sharers) fed(address string, want []harness.Entry, o harness.Outcome) {
	s.Helper()
	sink, err := mysql.Open(s.Context(), mysql.Options{Address: address})
	if err != nil {
		s.Fatal(err)
	}
	defer sink.Close()
	last := want[len(want)-1].Seq
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		at, err := sink.Cursor(s.Context(), "default")
		if err == nil && at >= last {
			break
		}
		if time.Now().After(end) {
			s.Fatalf("MySQL has change %d of %d: %v", at, last, err)
		}
	}
	got, err := sink.History(s.Context(), "default", 0, math.MaxInt32)
	if err != nil {
		s.Fatal(err)
	}
	got = slices.DeleteFunc(got, func(d docid.Delivery) bool { return o.Gone(d.Seq) })
	if len(got) < len(want) {
		s.Fatalf("MySQL has %d entries, the log %d", len(got), len(want))
	}
	for n, e := range want {
		if g := got[n]; g.Seq != e.Seq || string(g.Kind) != e.Kind || g.NID != e.NID {
			s.Fatalf("MySQL has change %d, %s of %q, the log %d, %s of %q", g.Seq, g.Kind, g.NID, e.Seq, e.Kind, e.NID)
		}
	}
}

// TestLogLost: servers whose log was emptied, or came back with less, answer nothing and are not ready, from
// within a second or two on; they say by name why, and do so at every start.
func TestLogLost(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	const evicted = "an eviction, and a restart"
	alone := func(lose func(s *sharers, redis *services.Server)) func(*testing.T) (string, func(*sharers)) {
		return func(t *testing.T) (string, func(*sharers)) {
			redis := services.Redis(t)
			return "redis://" + redis.Addr, func(s *sharers) { lose(s, redis) }
		}
	}
	for _, c := range []struct {
		what  string
		start func(t *testing.T) (log string, lose func(s *sharers))
	}{
		{"FLUSHALL", alone(func(_ *sharers, redis *services.Server) { services.Ask(redis.Addr, "FLUSHALL") })},
		{evicted, alone(func(s *sharers, redis *services.Server) {
			services.Ask(redis.Addr, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
			services.Ask(redis.Addr, "CONFIG", "SET", "maxmemory", "1")
			for !strings.HasPrefix(services.Ask(redis.Addr, "EXISTS", "neardup:log"), ":0") {
				services.Ask(redis.Addr, "SET", "other", "key")
			}
			redis.Kill()
			redis.Start(s.T)
		})},
		{"an empty append-only file", alone(func(s *sharers, redis *services.Server) {
			redis.Kill()
			if err := os.RemoveAll(filepath.Join(redis.Dir, "appendonlydir")); err != nil {
				s.Fatal(err)
			}
			redis.Start(s.T)
		})},
		{"an older append-only file", alone(func(s *sharers, redis *services.Server) {
			aof, older := filepath.Join(redis.Dir, "appendonlydir"), filepath.Join(redis.Dir, "older")
			if err := os.CopyFS(older, os.DirFS(aof)); err != nil {
				s.Fatal(err)
			}
			s.add(0, 50, "later")
			redis.Kill()
			if err := errors.Join(os.RemoveAll(aof), os.Rename(older, aof)); err != nil {
				s.Fatal(err)
			}
			redis.Start(s.T)
		})},
		{"another log, as long", alone(func(_ *sharers, redis *services.Server) {
			services.Ask(redis.Addr, "DEL", "neardup:log")
			for range 100 {
				services.Ask(redis.Addr, "XADD", "neardup:log", "0-*", "e", strings.Repeat("another", 10))
			}
		})},
		{"a replica that nobody waited for", func(t *testing.T) (string, func(*sharers)) {
			primary, replicas := services.Replicated(t, 2)
			sentinel := services.Sentinel(t, primary)
			services.Watched(t, sentinel, 2)
			return "redis://" + sentinel.Addr + "?master_set=nd&replicas=1", func(s *sharers) {
				services.Ask(replicas[1].Addr, "REPLICAOF", "127.0.0.1", "1")
				s.add(0, 20, "later")
				primary.Kill()
				replicas[0].Kill()
				services.Promoted(s.T, sentinel, replicas[1])
			}
		}},
		{"a topic that was deleted", func(t *testing.T) (string, func(*sharers)) {
			broker := services.Kafka(t, 1)[0]
			return "kafka://" + broker.Addr, func(s *sharers) {
				c, err := kgo.NewClient(kgo.SeedBrokers(broker.Addr))
				if err != nil {
					s.Fatal(err)
				}
				defer c.Close()
				topic := kmsg.NewDeleteTopicsRequestTopic()
				topic.Topic = kmsg.StringPtr("neardup-log")
				req := kmsg.NewPtrDeleteTopicsRequest()
				req.Topics, req.TopicNames, req.TimeoutMillis = append(req.Topics, topic), []string{"neardup-log"}, 5000
				if _, err := req.RequestWith(s.Context(), c); err != nil {
					s.Fatal(err)
				}
			}
		}},
	} {
		if c.what == evicted && short() { // to Redis it is FLUSHALL, and then a start
			continue
		}
		t.Run(c.what, func(t *testing.T) {
			log, lose := c.start(t)
			s := startSharers(t, 5, log)
			s.add(0, 20, "first")
			lose(s)
			for n, one := range s.servers {
				begin := time.Now()
				for {
					resp, err := http.Get(one.service.URL + "/readyz")
					if err != nil {
						t.Fatal(err)
					}
					_ = resp.Body.Close()
					if resp.StatusCode == http.StatusServiceUnavailable {
						break
					}
					if time.Since(begin) > patience {
						t.Fatalf("server %d is ready", n)
					}
					time.Sleep(10 * time.Millisecond)
				}
				t.Logf("server %d was not ready after %s", n, time.Since(begin).Round(time.Millisecond))
			}
			for n, one := range s.servers {
				if _, err := one.service.Submit(t.Context(), harness.Article{NID: "x", Content: "some words"}, ""); !errors.Is(err, harness.ErrUnknown) {
					t.Errorf("server %d answered: %v", n, err)
				}
				one.process.Kill()
				p, err := harness.Start(s.bin, one.data, one.flags...)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := p.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "the log lacks entries that the store has applied") {
					t.Errorf("server %d started again: %v", n, err)
				}
				p.Kill()
			}
		})
	}
}

// add submits articles to a server, again where it is told to: on a busy machine an answer of the log comes late.
func (s *sharers) add(server, n int, name string) {
	s.Helper()
	for i := range n {
		a := harness.Article{NID: fmt.Sprint(name, i), Content: strings.Repeat(harness.Word(uint64(i)*7919+uint64(len(name)))+" ", 30)}
		_, err := s.servers[server].service.Submit(s.Context(), a, "")
		for end := time.Now().Add(patience); errors.Is(err, harness.ErrUnknown) && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			_, err = s.servers[server].service.Submit(s.Context(), a, "")
		}
		if err != nil {
			s.Fatal(err)
		}
	}
}
