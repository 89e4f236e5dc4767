//go:build full

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a client of the real command, over its pipes.
type agent struct {
	*testing.T
	session *mcp.ClientSession
}

func startAgent(t *testing.T, data string) *agent {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: exec.Command("neardup", "mcp", "--data", data)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &agent{t, session}
}

// ends ends the session; the process must then end without an error.
func (a *agent) ends() {
	a.Helper()
	if err := a.session.Close(); err != nil {
		a.Errorf("the command ended with %v", err)
	}
}

// call calls a tool. failed is its error in words.
func (a *agent) call(tool string, arguments map[string]any) (out memoryAnswer, failed string) {
	a.Helper()
	r, err := a.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatalf("%s %v: %v", tool, arguments, err)
	}
	words := ""
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			words += text.Text
		}
	}
	if r.IsError {
		return out, words
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(structured, &out)
	}
	if err != nil {
		a.Fatal(err)
	}
	if out.Says != words {
		a.Errorf("%s says %q in words and %q in its structure", tool, words, out.Says)
	}
	return out, ""
}

// A day of an agent: each call with its expected answer.
func TestAgentsDay(t *testing.T) {
	const (
		port   = "The staging database of the billing team listens on port 5433 and is backed up every night."
		again  = "The staging database of the billing team listens on port 5433, and is backed up every night!"
		other  = "The staging database of the billing team listens on port 6433 and is backed up every night."
		secret = "Anna prefers short answers without headings and dislikes emojis in commit messages."
	)
	type arguments = map[string]any
	days := [][]struct {
		tool                   string
		in                     arguments
		decision, sameAs, like string
		says                   string // words of it, or of the error where there is no decision
	}{{
		{"check", arguments{"text": port}, "new", "", "", "no memory says this"},
		{"add", arguments{"id": "port", "text": port}, "new", "", "", "kept as port"},
		{"add", arguments{"id": "port", "text": port}, "new", "", "", "kept as port"}, // a retry
		{"add", arguments{"id": "port", "text": secret}, "", "", "", "belongs to another"},
		{"check", arguments{"text": again}, "duplicate", "port", "", "port says the same, with a probability of"},
		{"check", arguments{"text": other}, "new", "", "port", `now "6433", before "5433"`},
		{"add", arguments{"id": "moved", "text": other}, "new", "", "port", "Both are kept. If the new one replaces port, forget that one."},
		{"add", arguments{"text": again}, "duplicate", "port", "", "Nothing was added"},
		{"add", arguments{"text": " "}, "", "", "", "no words"},
		{"add", arguments{}, "", "", "", "text"},
		{"compare", arguments{"text": again, "known": port}, "duplicate", "", "", "The same"},
		{"compare", arguments{"text": other, "known": port}, "new", "", "", "Not the same"},
		{"correct", arguments{"id": "moved", "with": "port"}, "corrected", "port", "", "moved says the same as port"},
		{"correct", arguments{"id": "moved", "with": "port"}, "corrected", "port", "", "No change"},
		{"correct", arguments{"id": "moved", "text": other}, "corrected", "", "", "a separate memory"},
		{"correct", arguments{"id": "~3", "with": "moved"}, "corrected", "moved", "", "~3 says the same as moved"},
		{"correct", arguments{"id": "~3", "with": "port"}, "corrected", "port", "", "~3 says the same as port"},
		{"correct", arguments{"id": "nobody", "with": "port"}, "", "", "", "not found"},
	}, { // the next day, by another process
		{"check", arguments{"text": again}, "duplicate", "port", "", "port"},
		{"check", arguments{"text": other}, "duplicate", "moved", "", "moved"},
		{"forget", arguments{"id": "port"}, "forgotten", "", "", "port, and 1 that said the same"},
		{"forget", arguments{"id": "port"}, "", "", "", "not found"},
		{"add", arguments{"id": "port", "text": again}, "new", "", "moved", "kept as port"},
		{"check", arguments{"text": port}, "duplicate", "port", "", "port"},
	}}
	data := t.TempDir()
	for _, day := range days {
		a := startAgent(t, data)
		for i, want := range day {
			got, failed := a.call(want.tool, want.in)
			if got.Decision != want.decision || got.SameAs != want.sameAs || got.Like != want.like || !strings.Contains(got.Says+failed, want.says) {
				t.Errorf("step %d, %s %v: %+v %s, want %+v", i, want.tool, want.in, got, failed, want)
			}
		}
		a.ends()
	}
	if out, err := exec.Command("neardup", "check", "--data", data).CombinedOutput(); err != nil {
		t.Errorf("the folder is one of neardup serve: %v %s", err, out)
	}
}

// The tools describe their arguments, and which of them change nothing.
func TestMCPTools(t *testing.T) {
	a := startAgent(t, t.TempDir())
	defer a.ends()
	list, err := a.session.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"check": true, "add": false, "compare": true, "correct": false, "forget": false}
	for _, tool := range list.Tools {
		reads, ok := want[tool.Name]
		if !ok || tool.Annotations.ReadOnlyHint != reads || tool.Description == "" || tool.InputSchema == nil {
			t.Errorf("tool %s, reads only: %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
		delete(want, tool.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// Only one process can open a folder. The second one fails with the reason.
func TestMCPRefuses(t *testing.T) {
	data := t.TempDir()
	a := startAgent(t, data)
	defer a.ends()
	a.call("check", map[string]any{"text": "The first has the folder open."})
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"mcp", "--data", data}, "open in another process"},
		{[]string{"mcp"}, "--data is missing"},
	} {
		if out, err := exec.Command("neardup", test.args...).CombinedOutput(); err == nil || !strings.Contains(string(out), test.says) {
			t.Errorf("neardup %v: %v %s", test.args, err, out)
		}
	}
}

// A line that is not a JSON-RPC message is answered with an error, and the session continues.
func TestMCPAnswersBadLines(t *testing.T) {
	cmd := exec.Command("neardup", "mcp", "--data", t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(out)
	id := 0
	for _, test := range []struct {
		name, line string
		code       int
	}{
		{"words", "hello", -32700},
		{"half an object", `{"jsonrpc":"2.0"`, -32700},
		{"two messages on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, -32700},
		{"not UTF-8", "\xff\xfe", -32700},
		{"a byte of zero", "\x00", -32700},
		{"a number", "1", -32600},
		{"null", "null", -32600},
		{"an empty object", "{}", -32600},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
		{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":1}`, -32600},
		{"neither method nor id", `{"jsonrpc":"2.0","result":{}}`, -32600},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{"an empty batch", "[]", -32600},
		{"a long line", strings.Repeat("x", mcp.DefaultMaxLineLength+1), -32600},
		{"deep nesting", strings.Repeat("[", 100_000), -32700},
		{"a blank line", " \r", 0},
		{"an answer to no question", `{"jsonrpc":"2.0","id":7,"result":{}}`, 0},
	} {
		id++
		ping := fmt.Sprintf(`{"jsonrpc":"2.0","id":"ping %d","method":"ping"}`, id)
		if _, err := fmt.Fprintf(in, "%s\n%s\n", test.line, ping); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		code := 0
		for done := false; !done; {
			var a struct {
				ID    any
				Error struct{ Code int }
			}
			if err := answers.Decode(&a); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			done = a.ID == fmt.Sprintf("ping %d", id)
			if !done {
				code = a.Error.Code
			}
		}
		if code != test.code {
			t.Errorf("%s: code %d, want %d", test.name, code, test.code)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the command ended with %v", err)
	}
}
