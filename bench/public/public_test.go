package public

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/internal/test/shared"
)

// TestTableIsNotStale runs neardup on the tasks that take seconds. Each F1 must be within the interval of the committed row,
// and the page must hold the tables of the committed rows. After a change of the decision, run
//
//	bench/public/run --tools neardup,'neardup minhash' --update
func TestTableIsNotStale(t *testing.T) {
	shared.Path(t, "reports/pairs.jsonl")
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	bin, err := harness.Build(t.Context(), filepath.Join("..", ".."), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	committed := rowsOf(t, string(readFile(t, "results.tsv")))
	now := rowsOf(t, python(t, "run", "--neardup", bin, "--tools", "neardup", "--tasks", "reports,signs,templates"))
	if len(now) != 6 {
		t.Fatalf("%d rows, want a default and a best one of three tasks", len(now))
	}
	for key, row := range now {
		want, ok := committed[key]
		if !ok {
			t.Errorf("%s: no committed row", key)
			continue
		}
		f1, low, high := number(t, row[8]), number(t, want[9]), number(t, want[10])
		if f1 < low || f1 > high {
			t.Errorf("%s: F1 %v, committed %s (%v to %v)", key, f1, want[8], low, high)
		}
	}
	tables := python(t, "report.py")
	page := string(readFile(t, filepath.Join("..", "..", "docs", "benchmarks.md")))
	if !strings.Contains(page, "<!-- results -->\n"+tables+"<!-- end -->") {
		t.Error("docs/benchmarks.md does not hold the tables that report.py prints")
	}
}

// rowsOf returns rows by task, tool and setting.
func rowsOf(t *testing.T, text string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != 14 {
			t.Fatalf("%d columns in %q", len(row), line)
		}
		rows[strings.Join(row[:3], " ")] = row
	}
	return rows
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// python runs a script of this folder and returns what it prints.
func python(t *testing.T, script string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-S", script}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return string(out)
}
