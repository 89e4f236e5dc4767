//go:build full

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/shared"
)

// TestVariablesOfTests: no environment variable that tests read is a flag of a
// server that they start.
func TestVariablesOfTests(t *testing.T) {
	read := map[string]string{shared.Env: "internal/test/shared"}
	getenv := regexp.MustCompile(`Getenv\("(NEARDUP_\w+)"\)`)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || (!strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "internal")) {
			return err
		}
		content, err := os.ReadFile(path)
		for _, m := range getenv.FindAllSubmatch(content, -1) {
			read[string(m[1])] = path
		}
		return err
	})
	if err != nil || len(read) < 10 {
		t.Fatalf("%d variables are read, %v", len(read), err)
	}
	for _, cmd := range newRoot(&app{}).Commands() {
		if cmd.Name() != "serve" && cmd.Name() != "rebuild" {
			continue
		}
		for name, file := range read {
			flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, envPrefix)), "_", "-")
			if cmd.Flags().Lookup(flag) != nil {
				t.Errorf("%s is a setting of tests in %s and --%s of neardup %s", name, file, flag, cmd.Name())
			}
		}
	}
}

// TestBounds: a number or a duration that makes no sense is refused, wherever
// it stands, before anything is opened.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"ttl", "-1h", "too small (want at least 0)"}, {"ttl", "2540000h", "too long (want at most 876000h"}, {"ttl", "9999999999h", "invalid (want a time such as 30s"},
		{"window", "-1ns", "too small (want at least 0)"}, {"window", "876001h", "too long"}, {"keep-keys", "-24h", "too small (want at least 0)"},
		{"keep-keys", "2540000h", "too long"}, {"limit", "rate=-5", "too small (want at least 0)"}, {"limit", "rate=NaN", "not a number"},
		{"limit", "rate=+Inf", "not a number"}, {"limit", "rate=-inf", "not a number"}, {"max-candidates", "-1", "too small (want at least 0)"},
		{"max-articles", "-1", "too small (want at least 0)"}, {"limit", "in-flight=-1", "too small (want at least 0)"}, {"threshold", "nan", "not a number"},
	} {
		for where, serve := range map[string]func(t *testing.T, dir string) []string{
			"flag": func(*testing.T, string) []string { return []string{"--" + c.flag + "=" + c.value} },
			"environment": func(t *testing.T, _ string) []string {
				t.Setenv(envPrefix+strings.ToUpper(strings.ReplaceAll(c.flag, "-", "_")), c.value)
				return nil
			},
			"file": func(t *testing.T, dir string) []string {
				path := filepath.Join(dir, "neardup.toml")
				if err := os.WriteFile(path, fmt.Appendf(nil, "%s = %q\n", c.flag, c.value), 0o600); err != nil {
					t.Fatal(err)
				}
				return []string{"--config=" + path}
			},
		} {
			t.Run(c.flag+" "+c.value+" "+where, func(t *testing.T) {
				dir, stderr := t.TempDir(), &bytes.Buffer{}
				data := filepath.Join(dir, "data")
				args := append([]string{"serve", "--addr=127.0.0.1:0", "--metrics-addr=off", "--data=" + data}, serve(t, dir)...)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				code := run(ctx, args, strings.NewReader(""), io.Discard, stderr)
				if _, err := os.Stat(data); code != exitUsage || err == nil || !strings.Contains(stderr.String(), c.want) || !strings.Contains(stderr.String(), c.flag) {
					t.Errorf("exit %d, %v: %s", code, err, stderr)
				}
			})
		}
	}
	if code := run(t.Context(), []string{"dedup", "--workers=-1", "x"}, nil, io.Discard, io.Discard); code != exitUsage {
		t.Errorf("dedup --workers -1 ends with %d", code)
	}
}

// TestRanges checks that a number out of its range is refused and that the help shows the range.
func TestRanges(t *testing.T) {
	for args, want := range map[string]string{
		"add --parallel 0":        "--parallel 0: out of range (want 1..64)",
		"check --parallel 65":     "--parallel 65: out of range (want 1..64)",
		"eval --at 0":             "--at 0: out of range (want >0..1)",
		"eval --at 1.1":           "--at 1.1: out of range (want >0..1)",
		"eval --examples -2":      "--examples -2: too small (want at least -1)",
		"eval --examples -1":      "want --truth with --pairs",
		"near --distance 8":       "--distance 8: out of range (want 0..7)",
		"consume --claim-after 0": "--claim-after 0: too small (want at least 1s)",
		"idf --least 0":           "--least 0: too small (want at least 1)",
		"tune --recall NaN":       "not a number",
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), nil, io.Discard, &stderr); code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s (want %s)", args, code, &stderr, want)
		}
	}
	var stdout bytes.Buffer
	run(t.Context(), []string{"add", "--help"}, nil, &stdout, io.Discard)
	if !strings.Contains(stdout.String(), "requests at a time, 1..64 (default 8)") {
		t.Errorf("%s", &stdout)
	}
}

// TestThresholdOfMethod checks that the threshold of --method precedes that of a file, and that two on one command
// line are refused.
func TestThresholdOfMethod(t *testing.T) {
	dir := t.TempDir()
	config, docs := filepath.Join(dir, "n.toml"), filepath.Join(dir, "docs.txt")
	fatal(t, os.WriteFile(config, []byte("threshold = 0.5\nmethod = 'minhash recall=.9'\n"), 0o600))
	fatal(t, os.WriteFile(docs, []byte("one line of text\n"), 0o600))
	for args, want := range map[string]string{
		"":                                     "method      minhash recall=0.9 threshold=0.5\n",
		"--method=recall=.8":                   "method      auto recall=0.8 threshold=0.5\n",
		"--threshold=.6":                       "method      minhash recall=0.9 threshold=0.6\n",
		"--method=minhash\tthreshold=.8":       "method      minhash threshold=0.8\n",
		"--threshold=.6 --method=threshold=.8": "threshold is given twice",
		"--method=minhash\tidf=x":              `--method: unknown setting "idf" (want bias`,
	} {
		var stderr bytes.Buffer
		given := append([]string{"dedup", "--format=lines", "--config=" + config, docs}, strings.Split(args, " ")...)
		if args == "" {
			given = given[:4]
		}
		run(t.Context(), given, nil, io.Discard, &stderr)
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: %s (want %s)", args, &stderr, want)
		}
	}
}
