//go:build full

package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// On SIGHUP the server keeps running and reads the tokens again. A token without a line stops working, and an
// unreadable file changes nothing.
func TestTokensAreReadAnew(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	made := func(tenant string) string {
		var out strings.Builder
		fatal(t, (&token{&app{stdout: &out}, tokens, tenant, "read", ""}).do(t.Context(), nil))
		return strings.TrimSpace(out.String())
	}
	first, second := made("news"), made("news")
	url := "http://" + serving(t, "--tokens", tokens)
	awaitReady(t, nil, url)
	var said []byte // with the last status
	status := func(token string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/stats", nil)
		fatal(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		fatal(t, err)
		said, err = io.ReadAll(resp.Body)
		fatal(t, errors.Join(err, resp.Body.Close()))
		return resp.StatusCode
	}
	self, err := os.FindProcess(os.Getpid())
	fatal(t, err)
	// reads sends the signal, and waits until it has opened to a token or shut one out.
	reads := func(token string, want int) {
		t.Helper()
		fatal(t, self.Signal(syscall.SIGHUP))
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if status(token) == want {
				return
			}
		}
		t.Fatalf("status %d, want %d", status(token), want)
	}
	lines, err := os.ReadFile(tokens)
	fatal(t, err)
	_, rest, _ := strings.Cut(string(lines), "\n")
	fatal(t, os.WriteFile(tokens, []byte(rest), 0o600))
	reads(first, http.StatusUnauthorized)
	if got := status(second); got != http.StatusOK {
		t.Errorf("the other token: %d", got)
	}
	fatal(t, os.WriteFile(tokens, []byte("no line of a token\n"), 0o600))
	reads(second, http.StatusOK)
	fatal(t, os.WriteFile(tokens, []byte(rest), 0o600))
	third, other := made("news"), made("other")
	reads(third, http.StatusOK)
	if got := status(other); got != http.StatusUnauthorized || !strings.Contains(string(said), "the tenant of this token is new (restart the server to serve it)") {
		t.Errorf("a token of a tenant that is not open: %d %s", got, said)
	}
}
