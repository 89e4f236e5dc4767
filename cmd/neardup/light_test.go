//go:build full

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Bounds of a build without the tag full: its size, and the modules that it is made of.
const (
	lightBytes   = 40 << 20
	lightModules = 27
)

// TestLight builds the command without the service, as go install does.
func TestLight(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	binary := filepath.Join(t.TempDir(), "neardup")
	light := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	light("vet", ".")
	light("build", "-o", binary, ".")
	if info, err := os.Stat(binary); err != nil || info.Size() > lightBytes {
		t.Errorf("%d bytes, %v (want at most %d)", info.Size(), err, lightBytes)
	}
	modules := map[string]bool{}
	for _, m := range strings.Fields(light("list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")) {
		modules[m] = true
	}
	if len(modules) > lightModules {
		t.Errorf("%d modules (want at most %d): %v", len(modules), lightModules, modules)
	}
	const lacks = "not part of this build (want a release, or a build with -tags full)"
	for _, test := range []struct{ args, says string }{
		{"dedup --format lines --out - -q", "one text\n"},
		{"serve --data x", "serve: " + lacks},
		{"log begin", "log: " + lacks},
		{"help serve", "serve: " + lacks},
		{"serv", `unknown command "serv"`},
		{"--data x", "unknown flag: --data"},
	} {
		cmd := exec.Command(binary, strings.Fields(test.args)...)
		cmd.Stdin = strings.NewReader("one text\none text\n")
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), test.says) || (err == nil) != strings.HasPrefix(test.args, "dedup") {
			t.Errorf("%s: %v %s, want %s", test.args, err, out, test.says)
		}
	}
}
