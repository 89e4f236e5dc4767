package tier_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/services"
)

// fault is something that fails and is mended again, while clients send.
type fault struct {
	name string
	do   func(*life)
	part part
	slow bool // it takes seconds: it is made once in a short run
}

// part is what a fault takes hold of: two faults of different parts may come at once.
type part byte

const (
	everything part = iota
	redisItself
	mariaItself
	hbaseItself
	wayToRedis
	wayToMaria
	wayToHBase
	wayOfClients
	serverItself
)

// faults are all kinds. What is paused, cut or silent lasts a random time.
var faults = []fault{
	{name: "Redis killed", part: redisItself, do: func(l *life) { l.restart(l.primary) }},
	{name: "Redis stopped", part: redisItself, do: (*life).shut},
	{name: "Redis paused", part: redisItself, do: func(l *life) { l.paused(l.primary, 700) }},
	{name: "Redis paused for seconds", part: redisItself, do: func(l *life) { l.paused(l.primary, int(long()/time.Millisecond)) }, slow: true},
	{name: "Redis full", part: redisItself, do: (*life).full},
	{name: "Redis without its scripts", part: redisItself, do: func(l *life) { l.say(l.primary, "SCRIPT", "FLUSH") }},
	{name: "Redis ends all connections", part: redisItself, do: func(l *life) { l.say(l.primary, "CLIENT", "KILL", "TYPE", "normal") }},
	{name: "Redis rewrites its log", part: redisItself, do: func(l *life) { l.say(l.primary, "BGREWRITEAOF"); l.pause(100) }},
	{name: "Redis told to evict", part: redisItself, do: (*life).mayEvict},
	{name: "log and folders lost, and made again", do: (*life).lost, slow: true},
	{name: "log lost, and begun again by one folder", do: (*life).adopted, slow: true},

	{name: "MariaDB killed", part: mariaItself, do: func(l *life) { l.restart(l.maria) }},
	{name: "MariaDB paused", part: mariaItself, do: func(l *life) { l.paused(l.maria, 700) }},
	{name: "MariaDB away", part: wayToMaria, do: func(l *life) { l.away(l.mysql) }},
	{name: "MariaDB's tables locked", part: mariaItself, do: (*life).locked},
	{name: "an nid is bound elsewhere", part: mariaItself, do: (*life).bindElsewhere},

	{name: "a gateway of HBase killed", part: hbaseItself, do: (*life).killGateway, slow: true},
	{name: "a gateway paused", part: hbaseItself, do: func(l *life) { l.returning.Wait(); l.paused(l.gateways[l.r.IntN(2)], 700) }},
	{name: "HBase away", part: wayToHBase, do: func(l *life) { l.away(l.gates...) }},
	{name: "HBase answers in 10 s", part: wayToHBase, do: func(l *life) { l.late(long(), l.gates...) }, slow: true},
	{name: "HBase paused", part: hbaseItself, do: func(l *life) { l.paused(l.hbase.Server, 700) }},
	{name: "a region of HBase moved", part: hbaseItself, do: (*life).moveRegion, slow: true},
	{name: "requests to HBase doubled", part: wayToHBase, do: func(l *life) { l.doubled(l.gates...) }},

	{name: "connections to Redis cut", part: wayToRedis, do: func(l *life) { l.torn(l.redis...) }},
	{name: "connections of one server to Redis cut", part: wayToRedis, do: func(l *life) { l.torn(l.redis[l.r.IntN(3)]) }},
	{name: "one server without Redis", part: wayToRedis, do: func(l *life) { l.away(l.redis[l.r.IntN(3)]) }},
	{name: "Redis's answers lost", part: wayToRedis, do: func(l *life) { l.silent(l.redis[l.r.IntN(3)]) }},
	{name: "Redis's answers late", part: wayToRedis, do: func(l *life) { l.late(100*time.Millisecond, l.redis...) }},
	{name: "commands to Redis doubled", part: wayToRedis, do: func(l *life) { l.doubled(l.redis...) }},
	{name: "connections to MariaDB cut", part: wayToMaria, do: func(l *life) { l.torn(l.mysql) }},
	{name: "MariaDB's answers lost", part: wayToMaria, do: func(l *life) { l.silent(l.mysql) }},
	{name: "MariaDB's answers late", part: wayToMaria, do: func(l *life) { l.late(100*time.Millisecond, l.mysql) }},
	{name: "connections to HBase cut", part: wayToHBase, do: func(l *life) { l.torn(l.gates...) }},
	{name: "HBase's answers lost", part: wayToHBase, do: func(l *life) { l.silent(l.gates[l.r.IntN(2)]) }},
	{name: "connections of clients cut", part: wayOfClients, do: func(l *life) { l.torn(l.front...) }},
	{name: "answers to clients late", part: wayOfClients, do: func(l *life) { l.late(100*time.Millisecond, l.front...) }},
	{name: "requests of clients doubled", part: wayOfClients, do: func(l *life) { l.doubled(l.front...) }},

	{name: "a server killed", part: serverItself, do: func(l *life) { l.killServers(0, l.any()) }},
	{name: "a server killed twice, the second time while it starts", part: serverItself, do: (*life).killStarting},
	{name: "a server stopped", part: serverItself, do: (*life).stopServer},
	{name: "a server paused", part: serverItself, do: (*life).pauseServer},
	{name: "all servers killed", part: serverItself, do: func(l *life) { l.killServers(0, l.servers...) }},
	{name: "a server's clock an hour back", part: serverItself, do: func(l *life) { l.killServers(time.Hour, l.any()) }},
	{name: "a server without its folder", part: serverItself, do: (*life).newFolder},

	{name: "two at once", do: (*life).two},
}

// two makes two faults of different parts at once.
func (l *life) two() {
	some := slices.DeleteFunc(slices.Clone(l.kinds), func(f fault) bool { return f.part == everything || f.slow })
	first := some[l.r.IntN(len(some))]
	some = slices.DeleteFunc(some, func(f fault) bool { return f.part == first.part })
	second := some[l.r.IntN(len(some))]
	l.t.Logf("%s, and %s", first.name, second.name)
	var both sync.WaitGroup
	both.Go(func() { first.do(l) })
	both.Go(func() { second.do(l) })
	both.Wait()
}

// long is what takes long: 10 s, in a short run one.
func long() time.Duration {
	if short() {
		return time.Second
	}
	return 10 * time.Second
}

// moveRegion has the region of all articles served by the other of two region servers.
func (l *life) moveRegion() {
	l.returning.Wait()
	if err := l.hbase.MoveRegion(l.name); err != nil {
		l.t.Error(err)
	}
}

// killGateway ends one gateway of two, which takes seconds to come back; meanwhile
// the other is asked.
func (l *life) killGateway() {
	l.returning.Wait()
	l.gateways[1].Kill()
	l.returning.Go(func() { l.gateways[1].Start(l.t) })
	l.pause(300)
}

// some is a random time up to so many milliseconds.
func (l *life) some(most int) time.Duration {
	return time.Duration(50+l.r.IntN(most)) * time.Millisecond
}

func (l *life) pause(most int) { time.Sleep(l.some(most)) }

func (l *life) any() *server { return l.servers[l.r.IntN(len(l.servers))] }

func (l *life) paused(s *services.Server, most int) {
	if err := s.Pause(); err != nil {
		l.t.Error(err)
	}
	l.pause(most)
	if err := s.Resume(); err != nil {
		l.t.Error(err)
	}
}

func (l *life) away(ps ...*proxy) {
	for _, p := range ps {
		p.refusing.Store(true)
		p.cut()
	}
	l.pause(700)
	for _, p := range ps {
		p.refusing.Store(false)
	}
}

// torn cuts every connection in the middle of an answer.
func (l *life) torn(ps ...*proxy) {
	for _, p := range ps {
		p.torn.Store(true)
	}
	l.pause(100)
	for _, p := range ps {
		p.torn.Store(false)
		p.cut()
	}
}

func (l *life) silent(p *proxy) {
	p.silent.Store(true)
	l.pause(500)
	p.cut()
	p.silent.Store(false)
}

func (l *life) late(by time.Duration, ps ...*proxy) {
	for _, p := range ps {
		p.delay.Store(int64(by))
	}
	time.Sleep(by)
	l.pause(300)
	for _, p := range ps {
		p.delay.Store(0)
	}
}

func (l *life) doubled(ps ...*proxy) {
	for _, on := range []bool{true, false} {
		for _, p := range ps {
			p.doubled.Store(on)
			p.cut()
		}
		if on {
			l.pause(300)
		}
	}
}

// killServers kills servers -9 at one moment and starts them again, with a clock
// that goes behind.
func (l *life) killServers(back time.Duration, ss ...*server) {
	for _, s := range ss {
		s.process.Kill()
	}
	var starting sync.WaitGroup
	for _, s := range ss {
		starting.Go(func() { l.start(s, back) })
	}
	starting.Wait()
}

func (l *life) killStarting() {
	s := l.any()
	s.process.Kill()
	p := l.launch(s, 0)
	l.pause(150)
	p.Kill()
	l.start(s)
}

func (l *life) stopServer() {
	s := l.any()
	if out, err := s.process.Stop(); err != nil {
		l.t.Errorf("stop: %v\n%s", err, out)
	}
	l.start(s)
}

func (l *life) pauseServer() {
	s := l.any()
	if err := s.process.Pause(); err != nil {
		l.t.Error(err)
	}
	l.pause(700)
	if err := s.process.Resume(); err != nil {
		l.t.Error(err)
	}
}

// newFolder has a server start on an empty folder: it makes its index of the log. A log that began with a
// folder is gone on with by a copy of one.
func (l *life) newFolder() {
	n := l.r.IntN(len(l.servers))
	s, other := l.servers[n], l.servers[(n+1)%len(l.servers)]
	s.process.Kill()
	if err := os.RemoveAll(s.data); err != nil {
		l.t.Error(err)
	}
	if !l.begun {
		l.start(s)
		return
	}
	other.process.Kill()
	if err := os.CopyFS(s.data, os.DirFS(other.data)); err != nil {
		l.t.Error(err)
	}
	l.killServers(0, s, other)
}

// count is how many faults are made: NEARDUP_FAULTS, or in the tests 60 of all
// lives together.
func count() int {
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_FAULTS")); err == nil {
		return n
	}
	return 60
}

func short() bool { return count() < 100 }

// TestFaults makes one fault after the other while clients send to three servers over one log,
// which may lose nothing.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	b := startBackends(t)
	total := counts{kinds: map[string]int{}}
	for n := 0; total.faults < count() && !t.Failed(); n++ {
		t.Run(fmt.Sprint("life", n), func(t *testing.T) {
			l := newLife(t, b, fmt.Sprint("life", n), seed()+uint64(n))
			l.work()
			l.fail(min(faultsOfLife(), count()-total.faults), &total)
			l.rest()
			l.audit(&total)
		})
	}
	t.Log(total)
	t.Run("away", func(t *testing.T) { sinksAway(t, b) })
	t.Run("gateways", func(t *testing.T) { gatewayFails(t, b) })
}

// seed makes another run of the same faults, NEARDUP_SEED.
func seed() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("NEARDUP_SEED"), 10, 64)
	return n
}

func faultsOfLife() int { return max(30, min(100, count()/6)) }

// fail makes so many faults: each kind once before one comes again.
func (l *life) fail(n int, total *counts) {
	l.kinds = faults
	var deck []fault
	for done := 0; done < n && !l.t.Failed(); done++ {
		if len(deck) == 0 {
			deck = slices.DeleteFunc(slices.Clone(faults), func(f fault) bool {
				return (f.slow && short() && total.kinds[f.name] > 0) || !strings.Contains(f.name, only())
			})
			if len(deck) == 0 {
				l.t.Fatalf("no kind of fault is left that %q names", only())
			}
			l.r.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		f := deck[0]
		deck = deck[1:]
		begin := time.Now()
		f.do(l)
		l.healed(f.name)
		l.t.Logf("%s: %s", f.name, time.Since(begin).Round(time.Millisecond))
		total.faults++
		total.kinds[f.name]++
	}
}

// only is NEARDUP_FAULT: no other kinds than those whose names hold it.
func only() string { return os.Getenv("NEARDUP_FAULT") }

// counts are what a run did.
type counts struct {
	faults, answers, changes, rows, articles, parked int
	kinds                                            map[string]int
}

// String says it in one line.
func (c counts) String() string {
	return fmt.Sprintf("%d faults of %d kinds, %d answers, %d changes, %d rows in MySQL (%d parked), %d articles in HBase",
		c.faults, len(c.kinds), c.answers, c.changes, c.rows, c.parked, c.articles)
}
