// Package harness starts the real docId service, kills it at random times, and checks every answer that it gave. It only
// uses the binary, its flags and its HTTP interface.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Build builds the whole command (-tags full) of the module in dir. flags are further flags of go build. It returns the
// path of the binary.
func Build(ctx context.Context, module, dir string, flags ...string) (string, error) {
	bin := filepath.Join(dir, "neardup")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-tags=full"}, flags...), "-o", bin, "./cmd/neardup")...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w: %s", err, out)
	}
	return bin, nil
}

// BeginLog begins an empty log for servers.
func BeginLog(ctx context.Context, bin, log string) error {
	if out, err := exec.CommandContext(ctx, bin, "log", "begin", "--log", log).CombinedOutput(); err != nil {
		return fmt.Errorf("begin the log: %w: %s", err, out)
	}
	return nil
}

// Process is a running service. The caller must call Kill or Stop.
type Process struct {
	cmd      *exec.Cmd
	addrFile string
	data     string
	log      bytes.Buffer // only read after ended is closed
	ended    chan struct{}
	err      error
}

// Start starts the service on a folder and a free loopback port. flags are further flags. It does not wait until the
// service is ready.
func Start(bin, data string, flags ...string) (*Process, error) {
	return StartIn(os.Environ(), bin, data, flags...)
}

// StartIn starts the service like Start, with an environment.
func StartIn(env []string, bin, data string, flags ...string) (*Process, error) {
	p := &Process{data: data, addrFile: data + ".addr", ended: make(chan struct{})}
	if err := os.Remove(p.addrFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("forget the last address: %w", err)
	}
	args := append([]string{"serve", "--data", data, "--addr", "127.0.0.1:0", "--addr-file", p.addrFile, "--metrics-addr", "off"}, flags...)
	p.cmd = exec.Command(bin, args...)
	p.cmd.Env = env
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the service: %w", err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Ready waits until the service answers /readyz with 200. It returns the service's URL.
func (p *Process) Ready(ctx context.Context) (string, error) {
	for {
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("the service is not ready: %w", ctx.Err())
		case <-p.ended:
			return "", fmt.Errorf("the service ended: %w: %s", p.err, p.log.String())
		case <-time.After(2 * time.Millisecond):
		}
		addr, err := os.ReadFile(p.addrFile)
		if err != nil {
			continue
		}
		url := "http://" + strings.TrimSpace(string(addr))
		if resp, err := http.Get(url + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return url, nil
			}
		}
	}
}

// Token returns the administrator's token, which the service writes at its first start.
func (p *Process) Token() (string, error) {
	b, err := os.ReadFile(filepath.Join(p.data, "admin-token"))
	if err != nil {
		return "", fmt.Errorf("token of the administrator: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Terminate asks the service to end. It does not wait.
func (p *Process) Terminate() { _ = p.cmd.Process.Signal(syscall.SIGTERM) } // it may have ended

// Kill kills the process with SIGKILL and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// Stop asks the service to end, waits for it, and returns its log. It returns an error if the exit status is not 0.
func (p *Process) Stop() (string, error) {
	p.Terminate()
	<-p.ended
	if p.err != nil {
		return p.log.String(), fmt.Errorf("the service ended: %w", p.err)
	}
	return p.log.String(), nil
}
