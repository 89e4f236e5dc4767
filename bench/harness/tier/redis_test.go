package tier_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/internal/test/services"
)

// say gives a Redis one command; "" where there is nothing.
func (l *life) say(s *services.Server, words ...string) string {
	l.t.Helper()
	c, err := redis.Dial("tcp", s.Addr, redis.DialConnectTimeout(20*time.Second), redis.DialReadTimeout(20*time.Second))
	if err != nil {
		l.t.Errorf("connect to Redis: %v", err)
		return ""
	}
	defer c.Close()
	args := make([]any, 0, len(words))
	for _, w := range words[1:] {
		args = append(args, w)
	}
	reply, err := c.Do(words[0], args...)
	if err != nil {
		l.t.Errorf("%s: %v", words[0], err)
		return ""
	}
	answer, _ := redis.String(reply, nil) // some say more than a line
	return answer
}

func (l *life) set(s *services.Server, name, value string) { l.say(s, "CONFIG", "SET", name, value) }

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

// mayEvict lets Redis evict keys, which it need not: nothing is answered meanwhile.
func (l *life) mayEvict() {
	l.set(l.primary, "maxmemory-policy", "allkeys-lru")
	l.pause(300)
	l.set(l.primary, "maxmemory-policy", "noeviction")
}

// quiet has the clients rest and all servers end, once each has decided on something and the sinks have all.
func (l *life) quiet() {
	l.pause(300)
	l.rest()
	l.healed("rest")
	log, err := l.servers[0].reach().Log(l.t.Context())
	if err != nil || len(log) == 0 {
		l.t.Fatalf("log: %v", err)
	}
	l.waitSinks(log[len(log)-1].Seq, patience)
	for _, s := range l.servers {
		s.process.Kill()
	}
	l.say(l.primary, "FLUSHALL")
}

// again begins the log with the folder of the first server, by a command; the others go on with copies of it.
func (l *life) again(args ...string) {
	cmd := exec.CommandContext(l.t.Context(), l.bin, append(args, "--data", l.servers[0].data, "--log", "redis://"+l.redis[0].addr)...)
	cmd.Env = environment(0)
	if out, err := cmd.CombinedOutput(); err != nil && !bytes.Contains(out, []byte("neardup_parked")) { // an nid was bound elsewhere
		l.t.Errorf("%q: %v\n%s", args, err, out)
	}
	for _, s := range l.servers[1:] {
		if err := errors.Join(os.RemoveAll(s.data), os.CopyFS(s.data, os.DirFS(l.servers[0].data))); err != nil {
			l.t.Error(err)
		}
	}
	l.begun = true
	l.killServers(0, l.servers...)
	l.work()
}

// lost takes away the log and every folder. The index is made again from MySQL and HBase, with which a log begins.
func (l *life) lost() {
	l.quiet()
	for _, s := range l.servers {
		if err := os.RemoveAll(s.data); err != nil {
			l.t.Error(err)
		}
	}
	l.again("rebuild", "--drained", "--map", "mysql://root:@"+l.mysql.addr+"/"+l.name, "--articles", "hbase+http://"+l.gates[0].addr+"/"+l.name)
}

// adopted takes away the log alone: one of the folders, all of which have everything, begins it again.
func (l *life) adopted() {
	l.quiet()
	l.again("log", "adopt")
}
