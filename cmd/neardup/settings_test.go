package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/shared"
)

// TestVariablesOfTests: no environment variable that tests read is a flag of a
// server that they start.
func TestVariablesOfTests(t *testing.T) {
	read := map[string]string{shared.Env: "internal/shared"}
	getenv := regexp.MustCompile(`Getenv\("(NEARDUP_\w+)"\)`)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "internal") {
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
