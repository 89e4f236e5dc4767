package tier_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/harness"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
)

// sharers are three servers over one log in Redis, each with a folder of its own.
type sharers struct {
	*testing.T
	bin     string
	redis   *services.Server
	r       *rand.Rand
	servers []*server
	http    *http.Client
}

func startSharers(t *testing.T, seed uint64, flags ...string) *sharers {
	t.Helper()
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	bin, err := harness.Build(t.Context(), filepath.Join("..", "..", ".."), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sharers{T: t, bin: bin, redis: services.Redis(t), r: rand.New(rand.NewPCG(seed, 3))}
	s.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 10 * time.Second}
	for n := range 3 {
		s.servers = append(s.servers, &server{data: filepath.Join(t.TempDir(), fmt.Sprint("server", n)), flags: append(flags,
			"--log", "redis://"+s.redis.Addr, "--log-level", "warn", "--method", "minhash", "--threshold", ".6", "--backups", t.TempDir(),
		)})
	}
	t.Cleanup(func() {
		for _, s := range s.servers {
			if s.process != nil {
				s.process.Kill()
			}
		}
	})
	for _, server := range s.servers {
		s.start(server)
	}
	return s
}

// start starts a server, again where it ends because Redis is away, and waits until it decides.
func (s *sharers) start(one *server) {
	s.Helper()
	var failed error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		p, err := harness.Start(s.bin, one.data, one.flags...)
		if err != nil {
			s.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(s.Context(), patience)
		url, err := p.Ready(ctx)
		cancel()
		if err == nil {
			var token string
			if token, err = p.Token(); err == nil {
				one.mu.Lock()
				one.process, one.service = p, &harness.Service{URL: url, Token: token, HTTP: s.http}
				one.mu.Unlock()
				return
			}
		}
		p.Kill()
		failed = err
	}
	s.Errorf("%s does not start: %v", one.data, failed)
}

func (s *sharers) any() *server { return s.servers[s.r.IntN(len(s.servers))] }

// TestLogSameMoment: of near copies that three servers get at one moment one is new.
func TestLogSameMoment(t *testing.T) {
	s := startSharers(t, 1)
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

// TestLogFaults kills, stops and replaces servers and Redis while clients write to all servers, and
// holds them to every answer; at the end all folders follow from one log.
func TestLogFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	maria := "mysql://root:@" + services.MariaDB(t).Addr + "/neardup"
	s := startSharers(t, 2, "--map", maria, "--seal", seal)
	path := filepath.Join(t.TempDir(), "journal")
	journal, err := harness.NewJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for n := range clients {
		c, r := harness.NewClient(n, 2, groups, journal), rand.New(rand.NewPCG(uint64(n), 4))
		working.Go(func() {
			for ctx.Err() == nil {
				if at := s.servers[r.IntN(len(s.servers))].reach(); at != nil {
					if err := c.Run(ctx, at); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
				}
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			}
		})
	}
	pause := func(most int) { time.Sleep(time.Duration(s.r.IntN(most)) * time.Millisecond) }
	faults := []struct {
		name string
		do   func()
	}{
		{"a server is killed", func() { one := s.any(); one.process.Kill(); pause(300); s.start(one) }},
		{"all servers are killed", func() {
			for _, one := range s.servers {
				one.process.Kill()
			}
			for _, one := range s.servers {
				s.start(one)
			}
		}},
		{"Redis is killed", func() { s.redis.Kill(); pause(1500); s.redis.Start(t) }},
		{"Redis and a server are killed", func() { one := s.any(); s.redis.Kill(); one.process.Kill(); s.redis.Start(t); s.start(one) }},
		{"Redis hangs", func() { _ = s.redis.Pause(); pause(2500); _ = s.redis.Resume() }},
		{"a server hangs", func() { one := s.any(); _ = one.process.Pause(); pause(2500); _ = one.process.Resume() }},
		{"a server is stopped", func() {
			one := s.any()
			if out, err := one.process.Stop(); err != nil {
				t.Errorf("stop: %v\n%s", err, out)
			}
			pause(300)
			s.start(one)
		}},
		{"a server loses its folder", func() {
			one := s.any()
			one.process.Kill()
			if err := os.RemoveAll(one.data); err != nil {
				t.Error(err)
			}
			s.start(one)
		}},
		{"a server goes on with the copy of another's folder", func() {
			from, to := s.servers[0], s.servers[1]
			name := fmt.Sprint("copy", time.Now().UnixNano())
			out, err := exec.Command(s.bin, "backup", "--server", from.reach().URL, "--token-file", filepath.Join(from.data, "admin-token"), name).CombinedOutput()
			if err != nil {
				t.Logf("backup: %v\n%s", err, out) // the log may be away still
				return
			}
			to.process.Kill()
			backup := filepath.Join(from.flags[len(from.flags)-1], name)
			if err := errors.Join(os.RemoveAll(to.data), os.CopyFS(to.data, os.DirFS(backup))); err != nil {
				t.Error(err)
			}
			s.start(to)
		}},
	}
	total := 3 * len(faults)
	if n := count(); n > 100 {
		total = n
	}
	for n := range total {
		time.Sleep(200 * time.Millisecond)
		if f := faults[n%len(faults)]; !t.Failed() {
			f.do()
		}
	}
	prober := harness.NewClient(clients, 2, groups, journal)
	for _, one := range s.servers {
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			if err := prober.Once(t.Context(), one.reach()); err == nil {
				break
			} else if !errors.Is(err, harness.ErrUnknown) || time.Now().After(end) {
				t.Fatalf("%s does not decide again: %v", one.data, err)
			}
		}
	}
	stop()
	working.Wait()
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	var logs [3][]harness.Entry
	for n, one := range s.servers {
		if logs[n], err = one.reach().Log(t.Context()); err != nil {
			t.Fatalf("log: %v", err)
		}
		if !reflect.DeepEqual(logs[n], logs[0]) {
			t.Errorf("the log of server %d has %d changes and is not that of server 0 with %d", n, len(logs[n]), len(logs[0]))
		}
	}
	records, err := harness.ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range harness.Audit(records, logs[0], false).Violations {
		if t.Error(v); i == 20 {
			break
		}
	}
	s.fed(maria, logs[0])
	digests := map[string]int{}
	for _, one := range s.servers {
		if out, err := one.process.Stop(); err != nil {
			t.Errorf("stop: %v\n%s", err, out)
		}
		folder := filepath.Join(one.data, "store")
		report, err := pebble.Check(t.Context(), folder, pebble.Options{})
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("check: %v %v", report.Problems, err)
		}
		digest, err := pebble.Digest(t.Context(), folder, pebble.Options{})
		if err != nil {
			t.Error(err)
		}
		digests[digest]++
	}
	if len(digests) != 1 {
		t.Errorf("the folders differ: %v", digests)
	}
	t.Logf("%d faults, %d changes, %d requests", total, len(logs[0]), len(records))
}

// fed waits until MySQL has the log, and holds it to that.
func (s *sharers) fed(address string, want []harness.Entry) {
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
	got, err := sink.Log(s.Context(), "default", 0, len(want)+1)
	if err != nil {
		s.Fatal(err)
	}
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
	for _, c := range []struct {
		what string
		lose func(s *sharers)
	}{
		{"FLUSHALL", func(s *sharers) { s.say("FLUSHALL") }},
		{"an empty append-only file", func(s *sharers) {
			s.redis.Kill()
			if err := os.RemoveAll(filepath.Join(s.redis.Dir, "appendonlydir")); err != nil {
				s.Fatal(err)
			}
			s.redis.Start(s.T)
		}},
		{"an older append-only file", func(s *sharers) {
			aof, older := filepath.Join(s.redis.Dir, "appendonlydir"), filepath.Join(s.redis.Dir, "older")
			if err := os.CopyFS(older, os.DirFS(aof)); err != nil {
				s.Fatal(err)
			}
			s.add(0, 50, "later")
			s.redis.Kill()
			if err := errors.Join(os.RemoveAll(aof), os.Rename(older, aof)); err != nil {
				s.Fatal(err)
			}
			s.redis.Start(s.T)
		}},
		{"another log, as long", func(s *sharers) {
			s.say("DEL", "neardup:log")
			for range 100 {
				s.say("XADD", "neardup:log", "0-*", "e", strings.Repeat("another", 10))
			}
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := startSharers(t, 5)
			s.add(0, 20, "first")
			c.lose(s)
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
					if time.Since(begin) > 20*time.Second {
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
				if _, err := p.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "the log does not have what was applied of it") {
					t.Errorf("server %d started again: %v", n, err)
				}
				p.Kill()
			}
		})
	}
}

// add submits articles to a server.
func (s *sharers) add(server, n int, name string) {
	s.Helper()
	for i := range n {
		a := harness.Article{NID: fmt.Sprint(name, i), Content: strings.Repeat(harness.Word(uint64(i)*7919+uint64(len(name)))+" ", 30)}
		if _, err := s.servers[server].service.Submit(s.Context(), a, ""); err != nil {
			s.Fatal(err)
		}
	}
}

// say sends Redis a command.
func (s *sharers) say(words ...string) {
	s.Helper()
	(&life{t: s.T}).say(s.redis, words...)
}
