//go:build full

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/shared"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if _, given := os.LookupEnv("NEARDUP_OVERWRITE"); !given { // as a script may, of which this is a command
		_ = os.Setenv("NEARDUP_OVERWRITE", "true") // tests run a command again with the same outputs
	}
	testscript.Main(m, map[string]func(){
		"neardup": main,
	})
}

// TestScripts runs the transcripts in testdata/script, which also document the commands. $DATA is the folder
// of the shared data. Scripts that need it begin with [!data] skip, and CI must have it. With -short, as
// under the race detector, it runs only scripts that combine the concurrent parts.
func TestScripts(t *testing.T) {
	dir, files := "testdata/script", []string(nil)
	if testing.Short() {
		for _, name := range []string{"dedup", "formats", "near", "overrides", "pairs", "report", "serve", "serve_config", "serve_full", "worker"} {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, Files: files,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"pictures": drawPictures, "sorted": sortedLines, "ready": ready, "ask": askServer, "fill": fillServer, "terminate": terminate, "exits": exits},
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", shared.Dir())
			e.Setenv("NEARDUP_OVERWRITE", "true")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			if cond != "data" {
				return false, nil
			}
			_, err := os.Stat(shared.Dir())
			if err != nil && os.Getenv("CI") == "true" {
				return false, err
			}
			return err == nil, nil
		},
	})
}

// exits implements "exits CODE COMMAND...". The command must end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// sortedLines implements "sorted FILE WANT". After the first line, FILE has the lines of WANT in any order.
func sortedLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sorted file want")
	}
	lines := strings.SplitAfter(ts.ReadFile(args[0]), "\n")[1:]
	slices.Sort(lines)
	want := strings.SplitAfter(ts.ReadFile(args[1]), "\n")
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		ts.Fatalf("%s has the lines %q, want %q", args[0], lines, want)
	}
}
