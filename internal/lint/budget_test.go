package lint

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write today's lines into budget.txt")

const (
	budgetFile = "internal/lint/budget.txt"
	total      = "total"
	// slack is how far the total may fall below its entry before budget.txt has to be updated.
	slack      = 500
	budgetHead = `# Lines of the product by package: at most this many. Tests, test support (internal/test) and bench do not count.
#
#   go test ./internal/lint -run Budget -v       prints the table: lines now, entry, difference
#   go test ./internal/lint -run Budget -update  writes this file, also after a merge
#
# Entries fall freely. An entry that rises, or is new, needs its reason on the same line.
`
)

// entry is a line of the budget.
type entry struct {
	lines  int
	reason string
}

// TestBudget compares the lines of each package, and of all, with budget.txt, and budget.txt with the one of the base.
func TestBudget(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(), budgetFile))
	if err != nil && !*update {
		t.Fatal(err)
	}
	now, budget, before := productLines(t), parseBudget(t, string(text)), budgetOfBase(t)
	if *update {
		budget = updated(now, budget, before)
		if err := os.WriteFile(filepath.Join(root(), budgetFile), []byte(formatBudget(budget)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names := maps.Clone(now)
	for name := range budget {
		names[name] += 0
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t.Logf("%6d %6d %+6d %s", now[name], budget[name].lines, now[name]-budget[name].lines, name)
	}
	for _, problem := range budgetProblems(now, budget, before) {
		t.Error(problem)
	}
}

// budgetProblems returns what is wrong with the lines now, and with the entries in comparison to those of the base,
// which is nil if it is not known.
func budgetProblems(now map[string]int, budget, before map[string]entry) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if e, ok := budget[name]; !ok {
			problems = append(problems, fmt.Sprintf("%s has no entry in %s", name, budgetFile))
		} else if now[name] > e.lines {
			problems = append(problems, fmt.Sprintf("%s has %d lines, its budget is %d", name, now[name], e.lines))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(budget)) {
		e := budget[name]
		if _, ok := now[name]; !ok {
			problems = append(problems, fmt.Sprintf("%s has an entry in %s and no lines", name, budgetFile))
		}
		if before != nil && e.lines > before[name].lines && e.reason == "" {
			problems = append(problems, fmt.Sprintf("the budget of %s rose from %d to %d without a reason on its line", name, before[name].lines, e.lines))
		}
	}
	if less := budget[total].lines - now[total]; less > slack {
		problems = append(problems, fmt.Sprintf("%d lines less than the budget: lower it (go test ./internal/lint -run Budget -update)", less))
	}
	return problems
}

// updated returns the budget for the lines now. A reason stays as long as its entry does not rise again and is above the
// one of the base.
func updated(now map[string]int, budget, before map[string]entry) map[string]entry {
	next := map[string]entry{}
	for name, lines := range now {
		next[name] = entry{lines: lines}
		if lines <= budget[name].lines && (before == nil || lines > before[name].lines) {
			next[name] = entry{lines, budget[name].reason}
		}
	}
	return next
}

// productLines counts the lines of the product by package, the root being ".", and in total.
func productLines(t *testing.T) map[string]int {
	lines := map[string]int{}
	for _, s := range sources(t) {
		if s.isTest() || isSupport(s.dir()) {
			continue
		}
		name := s.dir()
		if name == "" {
			name = "."
		}
		n := strings.Count(s.text, "\n")
		lines[name] += n
		lines[total] += n
	}
	return lines
}

func parseBudget(t *testing.T, text string) map[string]entry {
	t.Helper()
	budget := map[string]entry{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		n, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) < 2 {
			t.Fatalf("%s: %q (want LINES PACKAGE [REASON])", budgetFile, line)
		}
		budget[fields[1]] = entry{n, strings.Join(fields[2:], " ")}
	}
	return budget
}

func formatBudget(budget map[string]entry) string {
	var b strings.Builder
	b.WriteString(budgetHead)
	for _, name := range slices.Sorted(maps.Keys(budget)) {
		e := budget[name]
		b.WriteString(strings.TrimRight(fmt.Sprintf("%6d %s %s", e.lines, name, e.reason), " ") + "\n")
	}
	return b.String()
}

// budgetOfBase returns the budget of the commit that scripts/changed compares with, and nil where there is none.
func budgetOfBase(t *testing.T) map[string]entry {
	base := exec.Command(filepath.Join(root(), "scripts", "changed"), "--base")
	base.Dir = root()
	commit, err := base.Output()
	if err != nil || len(commit) <= 1 {
		return nil
	}
	show := exec.Command("git", "show", strings.TrimSpace(string(commit))+":"+budgetFile)
	show.Dir = root()
	text, err := show.Output()
	if err != nil {
		return nil
	}
	return parseBudget(t, string(text))
}

func TestBudgetProblems(t *testing.T) {
	now := map[string]int{"total": 300, "a": 100, "b": 200}
	tests := []struct {
		name           string
		budget, before map[string]entry
		want           string // a part of the only problem, or nothing
	}{
		{"all within", map[string]entry{"total": {300, ""}, "a": {100, ""}, "b": {200, ""}}, nil, ""},
		{"lowered", map[string]entry{"total": {300, ""}, "a": {100, ""}, "b": {200, ""}}, map[string]entry{"total": {400, ""}, "a": {200, ""}, "b": {200, ""}}, ""},
		{"exceeded", map[string]entry{"total": {300, ""}, "a": {99, ""}, "b": {201, ""}}, nil, "a has 100 lines, its budget is 99"},
		{"new package", map[string]entry{"total": {300, ""}, "a": {100, ""}}, nil, "b has no entry"},
		{"package gone", map[string]entry{"total": {300, ""}, "a": {100, ""}, "b": {200, ""}, "c": {5, ""}}, nil, "c has an entry"},
		{"raised", map[string]entry{"total": {300, ""}, "a": {100, ""}, "b": {200, ""}}, map[string]entry{"total": {300, ""}, "a": {90, ""}, "b": {210, ""}}, "a rose from 90 to 100"},
		{"raised with a reason", map[string]entry{"total": {300, ""}, "a": {100, "joins"}, "b": {200, ""}}, map[string]entry{"total": {300, ""}, "a": {90, ""}, "b": {210, ""}}, ""},
		{"far below", map[string]entry{"total": {900, ""}, "a": {100, ""}, "b": {200, ""}}, nil, "600 lines less"},
	}
	for _, test := range tests {
		problems := budgetProblems(now, test.budget, test.before)
		if len(problems) > 1 || (len(problems) == 1) != (test.want != "") || !strings.Contains(strings.Join(problems, ""), test.want) {
			t.Errorf("%s: %q, want %q", test.name, problems, test.want)
		}
	}
}

// An update keeps the reason of an entry that is above the base, and of no other.
func TestBudgetUpdate(t *testing.T) {
	now := map[string]int{"kept": 20, "again": 30, "below": 5}
	budget := map[string]entry{"kept": {20, "why"}, "again": {20, "why"}, "below": {20, "why"}, "removed": {1, ""}}
	before := map[string]entry{"kept": {10, ""}, "again": {10, ""}, "below": {10, ""}}
	got := formatBudget(updated(now, budget, before))
	if want := budgetHead + "    30 again\n     5 below\n    20 kept why\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
