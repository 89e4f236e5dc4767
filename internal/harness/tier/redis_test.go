package tier_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup/internal/services"
	"github.com/redis/rueidis"
)

// say gives a Redis one command; "" where there is nothing.
func (l *life) say(s *services.Server, words ...string) string {
	l.t.Helper()
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.Addr}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		l.t.Errorf("connect to Redis: %v", err)
		return ""
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
	defer cancel()
	m, err := c.Do(ctx, c.B().Arbitrary(words...).Build()).ToMessage()
	if rueidis.IsRedisNil(err) {
		return ""
	}
	if err != nil {
		l.t.Errorf("%s: %v", words[0], err)
		return ""
	}
	answer, _ := m.ToString() // some say more than a line
	return answer
}

func (l *life) set(s *services.Server, name, value string) { l.say(s, "CONFIG", "SET", name, value) }

// follow makes the replica one of the primary, and waits until it is.
func (l *life) follow() {
	l.t.Helper()
	l.link.target.Store(l.primary.Addr)
	host, port, _ := strings.Cut(l.link.addr, ":")
	l.say(l.replica, "REPLICAOF", host, port)
	l.inStep()
}

// inStep waits until the replica gets what the primary does.
func (l *life) inStep() {
	l.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(l.say(l.replica, "INFO", "replication"), "master_link_status:up") {
			return
		}
	}
	l.t.Errorf("the replica does not follow: %s", l.say(l.replica, "INFO", "replication"))
}

func (l *life) restart(s *services.Server) {
	s.Kill()
	s.Start(l.t)
}

// shut has Redis end in an orderly way, and start again.
func (l *life) shut() {
	l.primary.Stop()
	l.primary.Start(l.t)
}

// full leaves Redis no memory for a while.
func (l *life) full() {
	l.set(l.primary, "maxmemory", "1")
	l.pause(300)
	l.set(l.primary, "maxmemory", "0")
}

// mayEvict lets Redis evict keys, which it need not: a server that starts meanwhile
// is refused, those that run go on.
func (l *life) mayEvict() {
	l.set(l.primary, "maxmemory-policy", "allkeys-lru")
	l.pause(300)
	l.set(l.primary, "maxmemory-policy", "noeviction")
}

// failover ends the primary at once and has the replica take its place; the old
// primary follows it then. A replica that lags has not got what came last.
func (l *life) failover(lag time.Duration) {
	l.inStep()
	l.link.silent.Store(lag > 0)
	time.Sleep(lag)
	l.primary.Kill()
	l.link.cut()
	l.link.silent.Store(false)
	l.primary, l.replica = l.replica, l.primary
	l.say(l.primary, "REPLICAOF", "NO", "ONE")
	for _, p := range l.redis {
		p.target.Store(l.primary.Addr)
		p.cut()
	}
	l.replica.Start(l.t)
	l.follow()
}

// cutLog takes the last bytes of the log of a Redis that ended at once, as a power
// failure does where the log is not synced with each change. The log is the last of
// its files: while it is rewritten there are two. Of a short one half is left, with the index itself.
func (l *life) cutLog() {
	l.primary.Kill()
	logs, _ := filepath.Glob(filepath.Join(l.primary.Dir, "appendonlydir", "*.incr.aof"))
	slices.SortFunc(logs, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // by their number
	path := logs[len(logs)-1]
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, max(info.Size()/2, info.Size()-int64(1000+l.r.IntN(30_000))))
	}
	if err != nil {
		l.t.Error(err)
	}
	l.primary.Start(l.t)
	l.inStep()
}

// evicted has Redis throw keys away, which no index can bear: the servers decide
// nothing more, and it is made again from MySQL and HBase. What they have is all
// that was answered, for the clients rest until the first key is gone.
func (l *life) evicted() {
	l.pause(300)
	l.rest()
	l.healed("rest") // and each has decided on something
	log, err := l.servers[0].reach().Log(l.t.Context())
	if err != nil || len(log) == 0 {
		l.t.Fatalf("log: %v", err)
	}
	l.drained(log[len(log)-1].Seq)
	used := 0
	for _, line := range strings.Fields(l.say(l.primary, "INFO", "memory")) {
		if n, ok := strings.CutPrefix(line, "used_memory:"); ok {
			used, _ = strconv.Atoi(n)
		}
	}
	l.set(l.primary, "maxmemory-policy", "allkeys-random")
	l.set(l.primary, "maxmemory", strconv.Itoa(used*95/100))
	for end := time.Now().Add(patience); strings.Contains(l.say(l.primary, "INFO", "stats"), "evicted_keys:0\r") && time.Now().Before(end); {
		l.say(l.primary, "SET", "pressure", "x")
	}
	l.set(l.primary, "maxmemory-policy", "noeviction")
	l.set(l.primary, "maxmemory", "0")
	l.work()
	l.pause(300)
	for _, s := range l.servers {
		s.process.Kill()
	}
	l.say(l.primary, "FLUSHALL")
	l.say(l.primary, "CONFIG", "RESETSTAT")
	cmd := exec.CommandContext(l.t.Context(), l.bin, "rebuild", "--drained", "--data", l.servers[0].data, "--index", "redis://"+l.redis[0].addr,
		"--map", "mysql://root:@"+l.mysql.addr+"/"+l.name, "--articles", "hbase+http://"+l.gates[0].addr+"/"+l.name, "--accept-loss")
	cmd.Env = environment(0)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Errorf("rebuild: %v\n%s", err, out)
	}
	l.killServers(0, l.servers...)
}
