//go:build full

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fenced    = regexp.MustCompile("(?ms)^```(console|python)\n(.*?)^```$")
	commented = regexp.MustCompile(`(?m)^print.*  # (.*)$`)
	fraction  = regexp.MustCompile(`\d*\.\d{2,}`)
	docID     = regexp.MustCompile(`[0-9a-f]{16}-[0-9a-f]{16}`)
)

// step is a command of a page with the output that the page shows.
type step struct{ command, want string }

// steps returns the commands of the console blocks of a page, and its Python blocks as commands.
func steps(page string) (list []step) {
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		if block[1] == "python" {
			want := ""
			for _, m := range commented.FindAllStringSubmatch(block[2], -1) {
				want += m[1] + "\n"
			}
			list = append(list, step{"python3 - <<'END'\n" + block[2] + "END", want})
			continue
		}
		for line := range strings.Lines(block[2]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				list = append(list, step{command: strings.TrimSuffix(command, "\n")})
			} else {
				list[len(list)-1].want += line
			}
		}
	}
	return list
}

// TestWalkedPages runs the commands of the pages for new users, each page in one shell, and compares what they print.
// Fractions and docIds may differ, and "..." in a page stands for any text.
func TestWalkedPages(t *testing.T) {
	if testing.Short() {
		t.Skip("not concurrent")
	}
	for _, tool := range []string{"bash", "curl", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	for page, least := range map[string]int{"README.md": 7, "README.zh-CN.md": 6, "docs/tutorial.md": 12, "docs/http-api.md": 35} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", page))
			if err != nil {
				t.Fatal(err)
			}
			list := steps(string(text))
			if len(list) < least {
				t.Errorf("%d commands, want at least %d", len(list), least)
			}
			for i, got := range runSteps(t, list) {
				if !patternOf(list[i].want).MatchString(withoutVarying(got)) {
					t.Errorf("%s\nprints\n%s\nthe page has\n%s", list[i].command, got, list[i].want)
				}
			}
		})
	}
}

// runSteps runs the commands in one shell, in a folder with the sample data, and returns what each printed.
func runSteps(t *testing.T, list []step) []string {
	t.Helper()
	dir := t.TempDir()
	sample, err := os.ReadFile("../../docs/for/news.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "docs/for"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "docs/for/news.jsonl"), sample)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	const mark = "=== end of step"
	script := "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n"
	for _, s := range list {
		command := s.command
		if strings.HasPrefix(command, "neardup serve ") {
			command = strings.TrimSuffix(command, "&") + fmt.Sprintf("--addr %s --metrics-addr off 2> serve.log &\nuntil curl -sf %[1]s/readyz > /dev/null; do jobs %%%% > /dev/null || break; sleep .1; done", addr)
		}
		script += strings.ReplaceAll(command, "127.0.0.1:8080", addr) + "\necho '" + mark + "'\n"
	}
	source, err := filepath.Abs("../../python/src")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+source)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	parts := strings.Split(string(out), mark+"\n")
	if err != nil || len(parts) != len(list)+1 {
		t.Fatalf("%v, %d of %d steps\n%s%s", err, len(parts)-1, len(list), out, stderr.String())
	}
	return parts[:len(list)]
}

// withoutVarying replaces what differs between runs and weights.
func withoutVarying(s string) string {
	return fraction.ReplaceAllString(docID.ReplaceAllString(s, "DOCID"), "FRACTION")
}

// patternOf returns a pattern for the output that a page shows.
func patternOf(want string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(withoutVarying(want)), `\.\.\.`, `.*`) + `$`)
}
