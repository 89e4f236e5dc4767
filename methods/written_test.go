package methods_test

import (
	"slices"
	"testing"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// Pairs that a reader wrote and judged before any rule saw them. Those that are
// decided wrongly are known by name: more is a mistake, and fewer a line to take
// out here.
func TestWrittenPairs(t *testing.T) {
	pairs, err := eval.ReadJudged("../docs/reading/written.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	m, err := methods.New(methods.Config{})
	if err != nil {
		t.Fatal(err)
	}
	clean := text.Default()
	var wrong []string
	for _, p := range pairs {
		want, scored := p.Positive()
		if !scored {
			t.Errorf("%s is not scored", p.A)
		}
		if got := m.Compare(m.View(clean.Clean(p.TextA)), m.View(clean.Clean(p.TextB))).Near; got != want {
			wrong = append(wrong, p.A)
		}
	}
	known := []string{
		"w8a",   // the same link with another tracking number
		"w19a",  // chief executive and chief financial officer
		"w49a",  // workers are employees
		"w120a", // Apple's iOS
		"w122a", // tonight, and tonight at 8
		"w123a", // can't and cant, I'll and ill
		"w153a", // delayed and cancelled
		"w160a", // a contract and an invoice
		"w171a", // 12GB+256GB and 12+256GB
		"w187a", // 夺冠 and 夺得冠军
		"w188a", // struck a passer-by, struck a car
	}
	if len(pairs) != 198 || !slices.Equal(wrong, known) {
		t.Errorf("of %d pairs %v are decided wrongly, known are %v", len(pairs), wrong, known)
	}
}
