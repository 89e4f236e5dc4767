// Package services starts the real servers that tests need: Redis, Valkey, Kafka, NATS, MariaDB, HBase with its REST
// gateway, and an S3 server. Each listens on a free loopback port, has its own folder, and ends with the test.
// scripts/services installs them. If one is missing, a test is skipped, or fails under CI.
package services

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a process that a test started.
type Server struct {
	// Addr is its address, host:port.
	Addr string
	// Dir is the folder of its data. Kill and Start keep it.
	Dir string

	name  string
	argv  []string
	env   []string
	ready func(addr string) error
	cmd   *exec.Cmd
	ended chan struct{}
}

// Home returns the folder into which scripts/services installs: $NEARDUP_SERVICES, or a folder in the user's cache.
func Home() string {
	if dir := os.Getenv("NEARDUP_SERVICES"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "neardup-services")
}

// program returns the path of an executable below Home or on the PATH.
func program(t testing.TB, name string, places ...string) string {
	t.Helper()
	for _, p := range places {
		if found, _ := filepath.Glob(filepath.Join(Home(), p)); len(found) > 0 {
			return found[0]
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name)
	}
	return path
}

// Promtool returns the path of promtool, which checks Prometheus rules.
func Promtool(t testing.TB) string {
	t.Helper()
	return program(t, "promtool", filepath.Join("prometheus", "usr", "bin", "promtool"))
}

// Missing skips a test, or fails it under CI.
func Missing(t testing.TB, what string) {
	t.Helper()
	message := what + " is not installed; scripts/services does it"
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
}

// Servers use ports below the range from which the system assigns free ports. So a restarted server finds its port free.
const firstPort, lastPort = 10_000, 22_000

// FreeAddr returns a loopback address that no process listens on at the moment.
func FreeAddr(t testing.TB) string {
	t.Helper()
	for range 1000 {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", firstPort+rand.IntN(lastPort-firstPort)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// folder returns a temporary folder with a short path, because the path of a socket is limited.
func folder(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nd-"+name+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// startTime is the timeout for the start of a server.
const startTime = 5 * time.Minute

// Start starts the process, also after Kill or Stop, and waits until it is ready.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatalf("start %s: %v", s.name, err)
	}
}

func (s *Server) start() error {
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = exec.Command(s.argv[0], s.argv[1:]...)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = s.Dir, log, log
	s.cmd.Env = append(os.Environ(), s.env...)
	s.cmd.SysProcAttr = ours()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.ended = ended
	go func(c *exec.Cmd) {
		_ = c.Wait()
		close(ended)
	}(s.cmd)
	for end := time.Now().Add(startTime); ; time.Sleep(20 * time.Millisecond) {
		err := s.ready(s.Addr)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("it ended: %s", s.tail())
		default:
		}
		if time.Now().After(end) {
			s.end(syscall.SIGKILL)
			return fmt.Errorf("no answer in %s: %w: %s", startTime, err, s.tail())
		}
	}
}

// tail returns the end of the server's output.
func (s *Server) tail() string {
	b, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// Kill ends the process at once, like a crash, and waits for its end.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Stop asks the process to end and waits for its end.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

// Pause suspends the process. Resume continues it.
func (s *Server) Pause() error { return s.signal(pause) }

// Resume continues a paused process.
func (s *Server) Resume() error { return s.signal(resume) }

// CPU returns the CPU time of the process since its last start, or 0 if the system does not report it.
func (s *Server) CPU() time.Duration {
	if s.cmd == nil || s.cmd.Process == nil {
		return 0
	}
	return CPU(s.cmd.Process.Pid)
}

// CPU returns the user and system time of a process and of its ended children (Redis
// rewrites its log in one), in ticks of 10 ms, or 0 if the system does not report it.
func CPU(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	var ticks int64
	for _, i := range []int{11, 12, 13, 14} { // utime, stime, and those of children
		if i < len(fields) {
			n, err := strconv.ParseInt(fields[i], 10, 64)
			if err != nil {
				return 0
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * time.Second / 100
}

func (s *Server) signal(sig syscall.Signal) error {
	if s.cmd == nil || s.cmd.Process == nil {
		return errors.New("not started")
	}
	return signal(s.cmd.Process.Pid, sig)
}

func (s *Server) end(sig syscall.Signal) {
	if s.ended == nil {
		return
	}
	_ = s.signal(sig)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		_ = s.signal(syscall.SIGKILL)
		<-s.ended
	}
}

// run starts a server for one test.
func run(t testing.TB, s *Server) *Server {
	t.Helper()
	s.Start(t)
	t.Cleanup(s.Kill)
	return s
}
