package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/shared"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"neardup": main,
	})
}

// TestScripts runs the transcripts in testdata/script: they are the commands'
// documentation, too. $DATA is the folder of the shared data; scripts that
// need it begin with [!data] skip, and in CI it must be there.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"sorted": sortedLines, "ready": ready, "ask": askServer, "terminate": terminate},
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", shared.Dir())
			return nil
		},
		Condition: func(cond string) (bool, error) {
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

// sortedLines is "sorted FILE WANT": but for the first line, FILE holds the
// lines of WANT in some order.
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
