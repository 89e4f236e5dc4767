package eval_test

import (
	"testing"

	"github.com/neardup/neardup/eval"
)

// Which labels mean that two texts should be called duplicates, and which are not scored.
func TestPositive(t *testing.T) {
	for label, want := range map[string][2]bool{
		"same": {true, true}, "version": {true, true}, "facts": {false, true}, "other": {false, true},
		"part": {false, false}, "unsure": {false, false}, "": {false, false},
	} {
		if positive, scored := (eval.JudgedPair{Label: label}).Positive(); [2]bool{positive, scored} != want {
			t.Errorf("%q: positive %v, scored %v", label, positive, scored)
		}
	}
}
