//go:build full

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience ends a test that hangs.
const patience = 5 * time.Minute

// ready waits for a server to be ready: "ready FILE", the file that --addr-file
// names. $SERVER is its URL afterwards.
func ready(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		addr, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil {
			continue
		}
		url := "http://" + strings.TrimSpace(string(addr))
		resp, err := http.Get(url + "/readyz")
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			ts.Setenv("SERVER", url)
			return
		}
	}
	ts.Fatalf("the server is not ready")
}

// terminate sends SIGTERM to what runs in the background.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

// askServer implements "ask METHOD URL [BODY|@FILE [TOKEN-FILE]]". It sends a request like curl, and prints
// status and body. With ! the status must be an error. Otherwise it retries if the server requests that, such
// as with a slow log on a busy machine.
func askServer(ts *testscript.TestScript, neg bool, args []string) {
	body := ""
	if len(args) > 2 {
		body = args[2]
	}
	file, isFile := strings.CutPrefix(body, "@")
	if isFile {
		body = ts.ReadFile(file)
	}
	header := http.Header{}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	if isFile {
		header.Set("Content-Type", "application/octet-stream")
	}
	if len(args) > 3 {
		header.Set("Authorization", "Bearer "+strings.TrimSpace(ts.ReadFile(args[3])))
	}
	var status int
	var answer []byte
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		r, err := http.NewRequest(args[0], args[1], strings.NewReader(body))
		ts.Check(err)
		r.Header = header
		resp, err := http.DefaultClient.Do(r)
		ts.Check(err)
		answer, err = io.ReadAll(resp.Body)
		ts.Check(errors.Join(err, resp.Body.Close()))
		status = resp.StatusCode
		if neg || status != http.StatusServiceUnavailable || time.Now().After(end) {
			break
		}
	}
	fmt.Fprintln(ts.Stdout(), status, string(answer))
	if neg != (status >= 400) {
		ts.Fatalf("%s %s: %d %s", args[0], args[1], status, answer)
	}
}

// fillServer sends articles of 20 KB until the server takes no more: "fill URL".
func fillServer(ts *testscript.TestScript, _ bool, args []string) {
	for n := range 200 {
		body := fmt.Sprintf(`{"nid":"fill%d","content":%q}`, n, strings.Repeat(fmt.Sprintf("word%d ", n), 3000))
		resp, err := http.Post(args[0]+"/v1/articles", "application/json", strings.NewReader(body))
		ts.Check(err)
		resp.Body.Close()
		if resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusInsufficientStorage {
			return
		}
	}
	ts.Fatalf("the server takes everything")
}
